// Allows one launch at a time per result file: FILE.h5.lock next to it identifies the holder. Works on shared
// file systems: it needs link() and rename(), not flock().
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "parallel/platform/disk.hpp"
#include "parallel/platform/host.hpp"

namespace echo::parallel {

[[nodiscard]] std::filesystem::path lock_file(const std::filesystem::path& result_file);  // FILE.h5.lock

struct LockFacts {
  ProcessPlace holder;
  std::string since;      // UTC
  std::string token;      // of this launch alone; "" in locks of older versions
  std::int64_t beat = 0;  // counts up while the holder lives
};
[[nodiscard]] std::optional<LockFacts> parse_lock(std::string_view text);
[[nodiscard]] std::optional<LockFacts> read_lock(const std::filesystem::path& lock, Disk& = real_disk());
[[nodiscard]] std::string describe_holder(const LockFacts&);  // "host n1, process 4242, job 17, since ..."

// Whether the holder may still be running. unknown: it is on another host; only its heartbeat shows it.
enum class Holder : std::int8_t { alive, gone, unknown };
[[nodiscard]] Holder judge_holder(const ProcessPlace& holder, const ProcessPlace& here,
                                  const std::function<bool(const ProcessPlace&)>& is_running);

void tell_wait(const std::string& holder);  // on standard error

struct LockOptions {
  std::chrono::milliseconds beat{5000};
  int beats_watched =
      6;  // without a heartbeat, by our own steady clock, before a lock of another host is stale
  // Told who holds it, before we watch for a heartbeat.
  void (*on_wait)(const std::string& holder) = tell_wait;
};

// What a launch asks before every rename and every removal, other than of names that it alone uses: whether
// it is still the one. A launch that was frozen may find another in its place, which has finished the file.
class Fence {
 public:
  virtual ~Fence() = default;
  virtual void check() const = 0;                              // UserError 5: another launch took the lock
  [[nodiscard]] virtual const std::string& token() const = 0;  // 16 hex digits, of this launch alone
};

// Held while it lives; a thread counts the beat up. On worker 0 only.
class LaunchLock : public Fence {
 public:
  // UserError 5: another launch is at work (who, and since when), or the lock cannot be written.
  explicit LaunchLock(const std::filesystem::path& result_file, LockOptions = {}, Disk& = real_disk(),
                      Host& = real_host());
  LaunchLock(const LaunchLock&) = delete;
  LaunchLock& operator=(const LaunchLock&) = delete;
  ~LaunchLock() override;              // removes the lock if it is still ours
  [[nodiscard]] bool is_lost() const;  // someone took it, as of the last beat: this launch must end
  void check() const override;         // reads it again
  [[nodiscard]] const std::string& token() const override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace echo::parallel
