// Initialises and finalises MPI. A process that no launcher started is a single worker, and starts no MPI.
// Only this folder uses MPI directly.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "parallel/platform/mail.hpp"

namespace echo::parallel {

class Session : public Mail {
 public:
  Session(int& argc, char**& argv);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() override;  // finalizes; every worker must get here

  [[nodiscard]] int worker() const override { return worker_; }
  [[nodiscard]] int workers() const override { return workers_; }

  void wait_for_all()
      const override;  // leaves the core to others meanwhile, which MPI's own barrier does not
  // All workers leave with the gravest of their exit codes: 1, then 5, 2, 75, 4, 3, 0.
  [[nodiscard]] int agree_on_exit_code(int code) const;
  // Bytes of one worker to every worker; 64-bit length, pieces of 1 GiB.
  void broadcast_bytes(std::string& bytes, int from = 0) const override;
  void share_failure(std::string& failure) const override;
  void send(int to, int tag, std::span<const std::byte>) const override;
  [[nodiscard]] std::optional<int> waiting(int tag) const override;
  void receive(int from, int tag, std::span<std::byte>) const override;
  [[noreturn]] void abort(int exit_code) const;        // kills every worker, where one alone cannot go on
  [[nodiscard]] static std::string library_version();  // "Open MPI v4.1.4"; needs no Session

 private:
  bool has_mpi_;
  int worker_ = 0, workers_ = 1;  // a single worker sends nothing
};

// The graver of two exit codes.
[[nodiscard]] int graver(int a, int b);

}  // namespace echo::parallel
