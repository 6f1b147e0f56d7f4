// Messages between the workers of a launch. Session sends them by MPI; tests/simulation within one process.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace echo::parallel {

class Mail {
 public:
  virtual ~Mail() = default;
  [[nodiscard]] virtual int worker() const = 0;
  [[nodiscard]] virtual int workers() const = 0;
  [[nodiscard]] bool is_first() const { return worker() == 0; }

  // Collective: every worker calls them in the same order.
  virtual void wait_for_all() const = 0;
  virtual void broadcast_bytes(std::string& bytes, int from = 0) const = 0;  // of one worker to every worker
  // After this, `failure` is that of the lowest worker which has one (not empty), on every worker.
  virtual void share_failure(std::string& failure) const = 0;

  // From one worker to another; those of one sender and tag arrive in order.
  virtual void send(int to, int tag, std::span<const std::byte>) const = 0;
  [[nodiscard]] virtual std::optional<int> waiting(int tag) const = 0;  // who sent one that is here by now
  virtual void receive(int from, int tag, std::span<std::byte>) const = 0;  // contract: it is here, this long
};

}  // namespace echo::parallel
