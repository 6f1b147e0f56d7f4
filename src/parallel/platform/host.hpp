// The machine that a worker runs on, as a launch sees it: its clocks, its threads, its processes and signals.
// tests/simulation puts a simulated one in its place.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

namespace echo::parallel {

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
[[nodiscard]] bool is_running_here(const ProcessPlace&);  // on this host: that very process exists

// A thread of a worker that acts now and then, never while its owner holds it (as a mutex).
class Ticker {
 public:
  virtual ~Ticker() = default;  // asks it to stop, and waits; not while it is held
  virtual void lock() = 0;
  virtual void unlock() = 0;
};

class Host {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Wait = std::chrono::nanoseconds;
  // What a ticker does; how long to wait until the next time, negative = never again.
  using Act = std::function<Wait(const std::stop_token&)>;

  virtual ~Host() = default;
  [[nodiscard]] virtual ProcessPlace place() = 0;  // of this process
  [[nodiscard]] virtual bool is_running(const ProcessPlace&) = 0;
  [[nodiscard]] virtual Time now() = 0;           // nobody sets it
  [[nodiscard]] virtual std::string utc() = 0;    // "2026-11-20T04:41:07Z"; shown, never compared
  [[nodiscard]] virtual std::string token() = 0;  // 16 hex digits that no other call on any host returns
  virtual void sleep(Wait) = 0;
  [[nodiscard]] virtual std::unique_ptr<Ticker> every(Wait first, Act) = 0;
  [[nodiscard]] virtual bool stop_requested() = 0;  // stop_signal.hpp
  [[nodiscard]] virtual bool stop_now_requested() = 0;
  virtual void note_crashes_in(volatile std::int32_t* place) = 0;  // crash_signal.hpp
};

[[nodiscard]] Host& real_host();
[[nodiscard]] std::string utc_now();  // Host::utc() of the real one

[[nodiscard]] inline double seconds_between(Host::Time from, Host::Time to) {
  return std::chrono::duration<double>(to - from).count();
}

}  // namespace echo::parallel
