// Launches on many workers in simulated time, with the program's own hand-out of ranges and no simulation:
// a point takes a given time, worker 0 serves requests one after the other. The CPU time of the hand-out is
// measured; a message's is given. Counters: `share` of worker 0's time that it spends on requests, `waits`,
// the share of the other workers' time in which they wait for it, and `us_a_request` of CPU.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <queue>
#include <vector>

#include "parallel/dispatch/hand_out.hpp"

namespace echo::parallel {
namespace {

constexpr double seconds_a_point = 20e-6;   // of a mixed space, most of whose points are rejected
constexpr double seconds_a_message = 3e-6;  // received and answered over a network (hand_out.cpp)

struct Arrival {
  double at = 0.0;
  int worker = 0;
  friend bool operator<(const Arrival& a, const Arrival& b) { return a.at > b.at; }  // the earliest on top
};

struct Worker {
  std::int64_t ids = 0;       // of the range in hand
  double done_at = 0.0;       // with it
  std::int64_t finished = 0;  // ids of the range before, which the next request reports
};

struct Outcome {
  std::int64_t requests = 0;
  double seconds = 0.0, serving = 0.0, waited = 0.0;
};

// Workers ask for the next range when they begin one.
Outcome run_launch(int workers, std::int64_t points, double seconds_a_request) {
  HandOut ledger({.missing = IdSet({{0, points}})}, workers, {});
  std::vector<Worker> all(static_cast<std::size_t>(workers));
  std::priority_queue<Arrival> arrivals;
  for (int worker = 1; worker < workers; ++worker) arrivals.push({0.0, worker});
  Outcome out;
  double free_at = 0.0;  // worker 0
  while (!arrivals.empty()) {
    const Arrival next = arrivals.top();
    arrivals.pop();
    Worker& worker = all[static_cast<std::size_t>(next.worker)];
    const Request request{.ids = worker.finished,
                          .seconds = static_cast<double>(worker.finished) * seconds_a_point};
    ledger.add(request);
    const auto answer = ledger.answer(next.worker, request);
    free_at = std::max(free_at, next.at) + seconds_a_request;
    out.serving += seconds_a_request;
    ++out.requests;
    if (!answer || answer->kind != Answer::Kind::work) {
      out.seconds = std::max({out.seconds, worker.done_at, free_at});
      continue;
    }
    const double starts_at = std::max(worker.done_at, free_at);
    out.waited += starts_at - worker.done_at;
    worker.finished = worker.ids;
    worker.ids = answer->end - answer->begin;
    worker.done_at = starts_at + static_cast<double>(worker.ids) * seconds_a_point;
    arrivals.push({starts_at, next.worker});
  }
  return out;
}

void dispatch(benchmark::State& state) {
  const auto workers = static_cast<int>(state.range(0));
  const auto points = static_cast<std::int64_t>(20.0 * (workers - 1) / seconds_a_point);  // 20 s of work each
  Outcome out;
  double cpu = 0.0;
  for (auto _ : state) {
    const auto start = std::chrono::steady_clock::now();
    out = run_launch(workers, points, seconds_a_message);
    cpu = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() /
          static_cast<double>(out.requests);
  }
  out = run_launch(workers, points, seconds_a_message + cpu);  // the queue of arrivals counts as hand-out
  state.counters["share"] = out.serving / out.seconds;
  state.counters["waits"] = out.waited / (out.seconds * (workers - 1));
  state.counters["requests"] = static_cast<double>(out.requests);
  state.counters["us_a_request"] = 1e6 * cpu;
  state.counters["efficiency"] =
      static_cast<double>(points) * seconds_a_point / (out.seconds * (workers - 1));
}
BENCHMARK(dispatch)
    ->Arg(100)
    ->Arg(1000)
    ->Arg(10'000)
    ->Arg(30'000)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);

}  // namespace
}  // namespace echo::parallel
