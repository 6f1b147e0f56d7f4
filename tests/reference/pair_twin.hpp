// The slow twin of pipelines with pairs, two copies of the model and backwards split here and there: event by
// event over maps, orders spelled as the frameworks' own loops spell them. Shares the input and output types
// with the fast path and nothing else.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/at.hpp"
#include "timeline/pipeline/pipeline.hpp"

namespace echo::timeline::pair_twin {

using Orders = std::vector<std::vector<Task>>;  // [stages]

// Megatron's interleaved loop with the combined steady state; v = 1, p = 1: without a pipeline.
inline Orders combined_1f1b(int p, int v, int m) {
  Orders orders;
  for (int s = 0; s < p; ++s) {
    std::vector<Task> ahead, back;
    for (int start = 0; start < m; start += p)
      for (int lap = 0; lap < v; ++lap)
        for (int i = start; i < std::min(m, start + p); ++i) {
          ahead.push_back(task_of(TaskKind::forward, lap * p + s, i));
          back.push_back(task_of(TaskKind::backward, (v - 1 - lap) * p + s, i));
        }
    const std::size_t warm_up = std::min<std::size_t>(
        ahead.size(), static_cast<std::size_t>(p == 1 ? 1 : 2 * (p - 1 - s) + (v - 1) * p + 1));
    std::vector<Task> order(ahead.begin(), ahead.begin() + static_cast<std::ptrdiff_t>(warm_up));
    std::size_t next = 0;
    for (std::size_t k = warm_up; k < ahead.size(); ++k) {
      order.push_back(ahead[k]);
      order.back().with_next = true;
      order.push_back(back[next++]);
    }
    while (next < back.size()) order.push_back(back[next++]);
    orders.push_back(order);
  }
  return orders;
}

// DualPipe on `ranks` devices: phases as in the published step(). `two_ended`: two copies; else the V.
inline Orders dual_orders(int ranks, int m, bool two_ended) {
  Orders orders;
  for (int rank = 0; rank < ranks; ++rank) {
    const int half_ranks = two_ended ? ranks / 2 : ranks;
    const int half_rank = two_ended ? std::min(rank, ranks - 1 - rank) : rank;
    const int each = two_ended ? m / 2 : m;
    const bool second_half = two_ended && rank >= ranks / 2;
    const bool middle = half_rank == half_ranks - 1;
    std::vector<Task> order;
    int forwards[2] = {0, 0}, backwards[2] = {0, 0};
    std::deque<std::pair<int, int>> store;
    const auto chunk = [&](int phase) {
      const int direction = second_half ? 1 - phase : phase;
      return direction == 0 ? rank : 2 * ranks - 1 - rank;
    };
    const auto F = [&](int phase, bool joined = false) {
      order.push_back(task_of(TaskKind::forward, chunk(phase), forwards[phase]++, joined));
    };
    const auto B = [&](int phase, bool zero_bubble = false) {
      order.push_back(task_of(zero_bubble ? TaskKind::backward_input : TaskKind::backward, chunk(phase),
                              backwards[phase]));
      if (zero_bubble) store.emplace_back(chunk(phase), backwards[phase]);
      ++backwards[phase];
    };
    const auto W = [&] {
      order.push_back(task_of(TaskKind::backward_weight, store.front().first, store.front().second));
      store.pop_front();
    };
    const auto FB = [&](int ahead, int back) { F(ahead, true), B(back); };
    for (int i = 0; i < 2 * (half_ranks - half_rank - 1); ++i) F(0);
    for (int i = 0; i < half_rank + 1; ++i) F(0), F(1);
    for (int i = 0; i < half_ranks - half_rank - 1; ++i) B(1, true), W(), F(1);
    for (int i = 0; i < each - 2 * half_ranks + half_rank + 1; ++i) {
      if (i == 0 && middle) {
        F(0), B(1);
      } else {
        FB(0, 1);
      }
      FB(1, 0);
    }
    for (int i = 0; i < half_ranks - half_rank - 1; ++i) B(1), FB(1, 0);
    bool zero_bubble = false;
    for (int i = 0; i < half_rank + 1; ++i) {
      if (i == (half_rank + 1) / 2 && half_rank % 2 == 1) zero_bubble = true;
      B(1, zero_bubble);
      if (i == (half_rank + 1) / 2 && half_rank % 2 == 0) zero_bubble = true;
      B(0, zero_bubble);
    }
    for (int i = 0; i < half_ranks - half_rank - 1; ++i) W(), B(0, true);
    for (int i = 0; i < half_rank + 1; ++i) W();
    if (!store.empty()) throw std::logic_error("weight gradients left");
    orders.push_back(order);
  }
  return orders;
}

struct Result {
  std::vector<StageTimes> stages;
  std::map<Task, std::pair<SimTime, SimTime>> ran;
  std::map<std::pair<int, int>, int> pairs;  // how often (forward chunk, backward chunk) ran as one
};

struct Inputs {
  PipelineShape shape;
  std::vector<ChunkTimes> times;
  Hops hops;
  std::vector<DataLane> data;
  std::map<std::pair<int, int>, SimTime> pair_time;  // (forward chunk, backward chunk)
};

class Simulator {
 public:
  Simulator(const Inputs& in, const Orders& orders) : in_(in), orders_(orders) {}

  Result run() {
    out_.stages.resize(orders_.size());
    std::vector<std::size_t> next(orders_.size(), 0);
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t s = 0; s < orders_.size(); ++s) {
        while (next[s] < orders_[s].size()) {
          const std::size_t size = orders_[s][next[s]].with_next ? 2 : 1;
          const std::vector<Task> unit(orders_[s].begin() + static_cast<std::ptrdiff_t>(next[s]),
                                       orders_[s].begin() + static_cast<std::ptrdiff_t>(next[s] + size));
          if (!std::all_of(unit.begin(), unit.end(), [&](const Task& t) { return has_input(t); })) break;
          run_unit(s, unit);
          next[s] += size, moved = true;
        }
      }
    }
    for (std::size_t s = 0; s < orders_.size(); ++s) {
      if (next[s] != orders_[s].size()) throw std::runtime_error("deadlock");
      out_.stages[s].hop_wait += leaving_[s];
      out_.stages[s].compute_end = now_[s] + leaving_[s];
    }
    return out_;
  }

 private:
  [[nodiscard]] int route() const { return in_.shape.chunks / in_.shape.copies; }
  [[nodiscard]] int stage_of(int chunk) const { return in_.shape.stage_of_chunk[at(chunk)]; }

  // The chunk whose output a task takes; -1: none, or its own stage's.
  [[nodiscard]] int source(const Task& t) const {
    const int chunk = t.chunk.index();
    if (t.kind == TaskKind::forward) return chunk % route() == 0 ? -1 : chunk - 1;
    if (t.kind == TaskKind::backward_weight || (chunk + 1) % route() == 0) return -1;
    return chunk + 1;
  }
  [[nodiscard]] Task input_of(const Task& t) const {
    if (t.kind == TaskKind::forward) return {TaskKind::forward, t.chunk - 1, t.microbatch};
    if (t.kind == TaskKind::backward_weight) return {TaskKind::backward_input, t.chunk, t.microbatch};
    if (source(t) < 0) return {TaskKind::forward, t.chunk, t.microbatch};
    const Task split{TaskKind::backward_input, t.chunk + 1, t.microbatch};
    return offered_.count(split) > 0 ? split : Task{TaskKind::backward, t.chunk + 1, t.microbatch};
  }
  [[nodiscard]] bool has_input(const Task& t) const {
    return (t.kind == TaskKind::forward && source(t) < 0) || offered_.count(input_of(t)) > 0;
  }
  [[nodiscard]] SimTime hop(int from, int to) const {
    if (to < 0 || from < 0 || from == to || stage_of(from) == stage_of(to)) return SimTime{};
    return to > from ? in_.hops.forward[at(from)] : in_.hops.backward[at(to)];
  }
  [[nodiscard]] SimTime hop_after(const Task& t) const {
    const int chunk = t.chunk.index();
    if (t.kind == TaskKind::backward_weight) return SimTime{};
    if (t.kind == TaskKind::forward) return (chunk + 1) % route() == 0 ? SimTime{} : hop(chunk, chunk + 1);
    return chunk % route() == 0 ? SimTime{} : hop(chunk, chunk - 1);
  }

  void run_unit(std::size_t s, const std::vector<Task>& unit) {
    StageTimes& stage = out_.stages[s];
    // Transfers before it, as intervals: the outputs of the unit before, then the inputs as they come.
    std::vector<std::pair<SimTime, SimTime>> spans{{now_[s], now_[s] + leaving_[s]}};
    std::vector<std::pair<SimTime, SimTime>> inputs;  // (there, how long it takes)
    for (const Task& t : unit)
      if (has_input(t) && !(t.kind == TaskKind::forward && source(t) < 0))
        inputs.emplace_back(source(t) < 0 ? out_.ran.at(input_of(t)).second : offered_.at(input_of(t)),
                            in_.hops.overlapped ? SimTime{} : hop(source(t), t.chunk.index()));
    std::stable_sort(inputs.begin(), inputs.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    SimTime port = now_[s];
    for (const auto& [there, takes] : inputs) {
      const SimTime begin = std::max(port, there);
      spans.emplace_back(begin, port = begin + takes);
    }
    SimTime start = now_[s], covered = now_[s];
    std::sort(spans.begin(), spans.end());
    for (const auto& [begin, end] : spans) {
      start = std::max(start, end);
      stage.hop_wait += std::max(SimTime{}, end - std::max(begin, covered));
      covered = std::max(covered, end);
    }
    SimTime duration{};
    for (const Task& t : unit) duration += alone(t);
    if (unit.size() == 2) {
      duration = in_.pair_time.at({unit[0].chunk.index(), unit[1].chunk.index()});
      ++out_.pairs[{unit[0].chunk.index(), unit[1].chunk.index()}];
    }
    SimTime end = start + duration;
    stage.busy += duration;
    const ChunkTimes& time = in_.times[at(unit[0].chunk)];
    if (unit[0].kind == TaskKind::forward && unit[0].microbatch.index() == 0 && end < time.gathered) {
      stage.gather_wait += time.gathered - end;
      end = time.gathered;
    }
    SimTime leaving{};
    for (const Task& t : unit) {
      out_.ran[t] = {start, end};
      const SimTime takes = hop_after(t);
      if (in_.hops.overlapped) {
        SimTime& link = link_[{s, t.kind == TaskKind::forward}];
        offered_[t] = takes > SimTime{} ? (link = std::max(link, end) + takes) : end;
      } else {
        offered_[t] = end + leaving;
        leaving += takes;
      }
      if (!carries_gradients(t) || in_.data.empty()) continue;
      const DataLane& lane = in_.data[at(t.chunk)];
      if (lane.busy == SimTime{}) continue;
      stage.data_end =
          std::max(std::max(stage.data_end, start + lane.first_start) + lane.busy, end + lane.lag);
    }
    now_[s] = end;
    leaving_[s] = leaving;
  }

  [[nodiscard]] bool carries_gradients(const Task& t) const {
    return t.microbatch.index() + 1 == in_.shape.microbatches / in_.shape.copies &&
           (t.kind == TaskKind::backward || t.kind == TaskKind::backward_weight);
  }
  [[nodiscard]] SimTime alone(const Task& t) const {
    const ChunkTimes& time = in_.times[at(t.chunk)];
    if (t.kind == TaskKind::forward) return time.forward;
    if (t.kind == TaskKind::backward_input) return time.backward_input;
    if (t.kind == TaskKind::backward) return carries_gradients(t) ? time.last_backward : time.whole_backward;
    return carries_gradients(t) ? std::max(SimTime{}, time.last_backward - time.backward_input)
                                : time.backward_weight;
  }

  const Inputs& in_;
  const Orders& orders_;
  std::map<std::size_t, SimTime> now_, leaving_;
  std::map<Task, SimTime> offered_;
  std::map<std::pair<std::size_t, bool>, SimTime> link_;
  Result out_;
};

}  // namespace echo::timeline::pair_twin
