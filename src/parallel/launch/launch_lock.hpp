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

namespace echo::parallel {

[[nodiscard]] std::filesystem::path lock_file(const std::filesystem::path& result_file);  // FILE.h5.lock

// A process, as another one may recognise it.
struct ProcessPlace {
  std::string host, boot,
      pid_space;                   // name; of the kernel; of the process numbers (containers have their own)
  std::int64_t pid = 0, born = 0;  // clock ticks since boot: numbers are used again, this is not
  std::string job;                 // SLURM_JOB_ID; "" = none
  std::int64_t restarts = 0;       // SLURM_RESTART_COUNT
  friend bool operator==(const ProcessPlace&, const ProcessPlace&) = default;
};
[[nodiscard]] ProcessPlace this_process();

struct LockFacts {
  ProcessPlace holder;
  std::string since;      // UTC
  std::int64_t beat = 0;  // counts up while the holder lives
};
[[nodiscard]] std::optional<LockFacts> parse_lock(std::string_view text);
[[nodiscard]] std::optional<LockFacts> read_lock(const std::filesystem::path& lock);
[[nodiscard]] std::string describe_holder(const LockFacts&);  // "host n1, process 4242, job 17, since ..."

// Whether the holder may still be running. unknown: it is on another host; only its heartbeat shows it.
enum class Holder : std::int8_t { alive, gone, unknown };
[[nodiscard]] Holder judge_holder(const ProcessPlace& holder, const ProcessPlace& here,
                                  const std::function<bool(const ProcessPlace&)>& is_running);
[[nodiscard]] bool is_running_here(const ProcessPlace&);  // on this host: that very process exists

struct LockOptions {
  std::chrono::milliseconds beat{5000};
  int beats_watched =
      6;  // without a heartbeat, by our own steady clock, before a lock of another host is stale
};

// Held while it lives; a thread counts the beat up. On worker 0 only.
class LaunchLock {
 public:
  // UserError 5: another launch is at work (who, and since when), or the lock cannot be written.
  explicit LaunchLock(const std::filesystem::path& result_file, LockOptions = {});
  LaunchLock(const LaunchLock&) = delete;
  LaunchLock& operator=(const LaunchLock&) = delete;
  ~LaunchLock();                       // removes the lock if it is still ours
  [[nodiscard]] bool is_lost() const;  // someone took it: this launch must end

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace echo::parallel
