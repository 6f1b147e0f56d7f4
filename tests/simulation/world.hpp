// The simulated world: a clock, hosts, processes and their threads, and a scheduler that runs them one step
// at a time in an order that follows from a seed. Everything that the simulated interfaces do begins with a
// step.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "parallel/platform/host.hpp"
#include "tests/simulation/fiber.hpp"

namespace echo::simulation {

using Nanoseconds = std::int64_t;
inline constexpr Nanoseconds microsecond = 1'000, millisecond = 1'000'000, second = 1'000'000'000;

class Chance {
 public:
  explicit Chance(std::uint64_t seed) : state_(seed) {}
  std::uint64_t draw();
  std::int64_t below(std::int64_t end) {
    return static_cast<std::int64_t>(draw() % static_cast<std::uint64_t>(end));
  }
  std::int64_t between(std::int64_t first, std::int64_t last) { return first + below(last - first + 1); }
  bool one_in(std::int64_t n) { return below(n) == 0; }

 private:
  std::uint64_t state_;
};

// Unwinds the stack of a process that was killed; nothing it does on the way has an effect.
struct Killed {};

struct Process;

struct Thread {
  explicit Thread(Process& owner, std::function<void()> body);
  Process& process;
  Fiber fiber;
  Nanoseconds wake = 0;            // sleeps until then
  std::function<bool()> is_ready;  // waits for this, if it is there; or for `wake`, whichever is first
  bool is_unwinding = false;
};

struct Process {
  int host = 0, job = 0, worker = 0;
  parallel::ProcessPlace place;
  Nanoseconds born = 0, frozen_until = 0, frozen_total = 0, host_frozen_until = 0;
  bool is_dead = false, is_over = false;
  bool is_asked_to_stop = false, is_asked_again = false;
  bool dies_now = false;  // at its next step
  volatile std::int32_t* crash_place = nullptr;
  std::vector<std::unique_ptr<Thread>> threads;  // the first is the main one
  std::string name() const { return "job " + std::to_string(job) + " worker " + std::to_string(worker); }
};

class World {
 public:
  explicit World(std::uint64_t seed) : chance(seed) {}

  Chance chance;
  Nanoseconds now = second;
  std::int64_t steps = 0;
  bool traces = false;
  std::vector<std::string> trace;
  std::vector<std::unique_ptr<Process>> processes;
  std::function<void(Process&)> on_kill = [](Process&) {};  // before its stacks are unwound
  std::int64_t last_pid = 0;                                // of the process that made the last step

  void tell(const std::string& event);  // into the trace
  std::string broken;                   // the first promise that was; "" = none
  void fail(const std::string& promise);
  void at(Nanoseconds when, std::function<void()> event) { events_.emplace(when, std::move(event)); }

  Process& start(int host, int job, int worker, std::function<void()> main);
  void kill(Process&);  // not from within one of its threads
  void freeze(Process&, Nanoseconds until);
  [[nodiscard]] Nanoseconds active(const Process&) const;  // how long it has run, freezes left out

  // Runs one thread for one step, or an event; false when there is nothing left to run.
  bool step();

  // --- called within threads
  [[nodiscard]] static Thread& self();
  // Lets others run. False: this process is dead, and what it was about to do must not happen.
  bool pause_quietly();
  void pause();  // throws Killed instead
  void sleep(Nanoseconds);
  void wait(std::function<bool()> is_ready);  // throws Killed
  bool wait_quietly(std::function<bool()> is_ready);
  bool wait_or_sleep(std::function<bool()> is_ready, Nanoseconds most);

 private:
  [[nodiscard]] bool can_run(const Thread&) const;
  std::multimap<Nanoseconds, std::function<void()>> events_;
  std::vector<Thread*> ready_;
  std::int64_t next_pid_ = 100;
};

}  // namespace echo::simulation
