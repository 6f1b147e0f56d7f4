#include "tests/simulation/world.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <utility>

namespace echo::simulation {

std::uint64_t Chance::draw() {  // splitmix64
  std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

static thread_local Thread* running_thread = nullptr;

Thread::Thread(Process& owner, std::function<void()> body)
    : process(owner), fiber([body = std::move(body)] {
        try {
          body();
        } catch (const Killed&) {
          return;
        }
      }) {}

Thread& World::self() { return *running_thread; }

void World::tell(const std::string& event) {
  if (!traces) return;
  char time[32];
  std::snprintf(time, sizeof time, "%12.6f  ", static_cast<double>(now) / 1e9);
  trace.push_back(time + event);
}

void World::fail(const std::string& promise) {
  tell("BROKEN: " + promise);
  if (broken.empty()) broken = promise;
}

Process& World::start(int host, int job, int worker, std::function<void()> main) {
  Process& process = *processes.emplace_back(std::make_unique<Process>());
  process.host = host;
  process.job = job;
  process.worker = worker;
  process.born = now;
  process.place = {.host = "n" + std::to_string(host),
                   .boot = "b",
                   .pid_space = "p",
                   .pid = next_pid_++,
                   .born = now / millisecond};
  process.threads.push_back(std::make_unique<Thread>(process, std::move(main)));
  return process;
}

void World::kill(Process& process) {
  if (process.is_dead) return;
  tell(process.name() + " is dead");
  if (process.frozen_until > now) process.frozen_total -= process.frozen_until - now;
  process.frozen_until = 0;
  process.is_dead = true;
  on_kill(process);
  // Others before the main thread, on whose stack lies what they work with. Dead threads start no others.
  for (std::size_t i = process.threads.size(); i-- > 0;) {
    Thread& thread = *process.threads[i];
    while (thread.fiber.has_started() && !thread.fiber.is_over()) {
      running_thread = &thread;
      thread.fiber.resume();
    }
  }
  running_thread = nullptr;
  process.is_over = true;
  process.threads.clear();
}

void World::freeze(Process& process, Nanoseconds until) {
  if (process.is_dead || process.is_over || until <= process.frozen_until) return;
  tell(process.name() + " is frozen for " + std::to_string((until - now) / second) + " s");
  process.frozen_total += until - std::max(now, process.frozen_until);
  process.frozen_until = until;
}

Nanoseconds World::active(const Process& process) const {
  return now - process.born - process.frozen_total + std::max<Nanoseconds>(0, process.frozen_until - now);
}

bool World::can_run(const Thread& thread) const {
  if (thread.fiber.is_over()) return false;
  if (thread.is_ready && thread.is_ready()) return true;
  return thread.wake <= now;
}

bool World::step() {
  constexpr Nanoseconds never = std::numeric_limits<Nanoseconds>::max();
  ++steps;
  while (!events_.empty() && events_.begin()->first <= now) {
    const auto event = std::move(events_.begin()->second);
    events_.erase(events_.begin());
    event();
  }
  ready_.clear();
  Nanoseconds next = events_.empty() ? never : events_.begin()->first;
  for (const auto& process : processes) {
    if (process->is_over) continue;
    if (process->frozen_until > now) {
      next = std::min(next, process->frozen_until);
      continue;
    }
    for (const auto& thread : process->threads) {
      if (can_run(*thread))
        ready_.push_back(thread.get());
      else if (!thread->fiber.is_over())
        next = std::min(next, thread->wake);
    }
  }
  if (ready_.empty()) {
    if (next == never || next - now > 1'000'000 * second) return false;
    now = std::max(now, next);
    return true;
  }
  now += chance.between(1, 40) * microsecond;
  Thread& chosen = *ready_[static_cast<std::size_t>(chance.below(std::ssize(ready_)))];
  Process& process = chosen.process;
  chosen.is_ready = nullptr;
  last_pid = process.place.pid;
  running_thread = &chosen;
  chosen.fiber.resume();
  running_thread = nullptr;
  if (process.threads.front()->fiber.is_over()) {
    process.is_over = true;
    process.threads.clear();
  } else {
    for (std::size_t i = process.threads.size(); i-- > 1;)
      if (process.threads[i]->fiber.is_over())
        process.threads.erase(process.threads.begin() + static_cast<std::ptrdiff_t>(i));
    if (process.dies_now) kill(process);
  }
  return true;
}

bool World::pause_quietly() {
  Thread& thread = self();
  if (thread.process.is_dead) return false;
  thread.wake = now;
  Fiber::leave();
  return !thread.process.is_dead;
}

void World::pause() {
  if (!pause_quietly()) {
    if (std::exchange(self().is_unwinding, true)) return;
    throw Killed();
  }
}

void World::sleep(Nanoseconds time) {
  Thread& thread = self();
  if (!thread.process.is_dead) {
    thread.wake = now + time;
    Fiber::leave();
  }
  if (thread.process.is_dead && !std::exchange(thread.is_unwinding, true)) throw Killed();
}

bool World::wait_quietly(std::function<bool()> is_ready) {
  return wait_or_sleep(std::move(is_ready), std::numeric_limits<Nanoseconds>::max() / 4);
}

bool World::wait_or_sleep(std::function<bool()> is_ready, Nanoseconds most) {
  Thread& thread = self();
  if (thread.process.is_dead) return false;
  thread.is_ready = std::move(is_ready);
  thread.wake = now + most;
  Fiber::leave();
  return !thread.process.is_dead;
}

void World::wait(std::function<bool()> is_ready) {
  if (!wait_quietly(std::move(is_ready)) && !std::exchange(self().is_unwinding, true)) throw Killed();
}

}  // namespace echo::simulation
