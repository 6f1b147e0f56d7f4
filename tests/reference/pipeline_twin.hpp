// The slow twin of the pipeline composer: event by event over maps, schedule orders spelled as the
// frameworks' own loops spell them. Shares the input and output types with the fast path and nothing else.
#pragma once

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/at.hpp"
#include "timeline/pipeline/pipeline.hpp"

namespace echo::timeline::twin {

using Orders = std::vector<std::vector<Task>>;  // [stages]

inline Orders gpipe_orders(int p, int m) {
  Orders orders(static_cast<std::size_t>(p));
  for (int s = 0; s < p; ++s) {
    for (int i = 0; i < m; ++i) orders[at(s)].push_back(task_of(TaskKind::forward, s, i));
    for (int i = 0; i < m; ++i) orders[at(s)].push_back(task_of(TaskKind::backward, s, i));
  }
  return orders;
}

// All microbatches through a stage's first chunk, then through its second, ...; backwards last chunk first.
inline Orders breadth_first_orders(int p, int v, int m) {
  Orders orders(static_cast<std::size_t>(p));
  for (int s = 0; s < p; ++s) {
    std::vector<Task>& order = orders[at(s)];
    for (int lap = 0; lap < v; ++lap)
      for (int i = 0; i < m; ++i) order.push_back(task_of(TaskKind::forward, lap * p + s, i));
    for (int lap = v - 1; lap >= 0; --lap)
      for (int i = 0; i < m; ++i) order.push_back(task_of(TaskKind::backward, lap * p + s, i));
  }
  return orders;
}

// Megatron's table: groups of microbatches, p of them unless chosen, each through all chunks of a stage;
// backwards with chunks reversed. With v = 1 and warm-up p - 1 - s this is plain 1F1B.
inline Orders alternating_orders(int p, int v, int m, int group) {
  std::vector<std::pair<int, int>> table;  // (microbatch, chunk on the stage)
  for (int start = 0; start < m; start += group) {
    for (int chunk = 0; chunk < v; ++chunk) {
      for (int i = start; i < std::min(m, start + group); ++i) table.emplace_back(i, chunk);
    }
  }
  Orders orders;
  for (int s = 0; s < p; ++s) {
    std::vector<Task> order;
    std::size_t next_forward = 0, next_backward = 0;
    const auto forward = [&] {
      const auto [i, chunk] = table[next_forward++];
      order.push_back(task_of(TaskKind::forward, chunk * p + s, i));
    };
    const auto backward = [&] {
      const auto [i, chunk] = table[next_backward++];
      order.push_back(task_of(TaskKind::backward, (v - 1 - chunk) * p + s, i));
    };
    std::size_t warm_up = static_cast<std::size_t>(v == 1 ? p - 1 - s : (p - s - 1) * 2 + (v - 1) * group);
    warm_up = std::min(warm_up, table.size());
    while (next_forward < warm_up) forward();
    while (next_forward < table.size()) forward(), backward();
    while (next_backward < table.size()) backward();
    orders.push_back(order);
  }
  return orders;
}

inline Orders orders_of(const std::string& name, int p, int v, int m, int group = 0) {
  if (name == "gpipe") return gpipe_orders(p, m);
  if (name == "breadth-first") return breadth_first_orders(p, v, m);
  if (name == "1f1b") return alternating_orders(p, 1, m, 1);
  if (name == "interleaved") return alternating_orders(p, v, m, group > 0 ? group : p);
  throw std::invalid_argument("no twin for schedule " + name);
}

struct Result {
  std::vector<PlacedTask> placed;  // in order of start, then stage
  std::vector<StageTimes> stages;
  SimTime end{};
};

class Simulator {
 public:
  Simulator(const PipelineShape& shape, bool splits_backward, const Orders& orders,
            const std::vector<ChunkTimes>& times, const Hops& hops, const std::vector<DataLane>& data)
      : shape_(shape), splits_(splits_backward), orders_(orders), times_(times), hops_(hops), data_(data) {}

  // Always runs the task that may start first; ties by stage.
  Result run() {
    Result result;
    result.stages.resize(orders_.size());
    std::vector<std::size_t> next(orders_.size(), 0);
    for (;;) {
      int chosen = -1;
      SimTime first{};
      for (int s = 0; s < shape_.stages; ++s) {
        const auto start = start_of(s, next[at(s)]);
        if (start.first && (chosen < 0 || start.second < first)) chosen = s, first = start.second;
      }
      if (chosen < 0) break;
      run_task(chosen, next[at(chosen)]++, first, result);
    }
    for (std::size_t s = 0; s < orders_.size(); ++s) {
      if (next[s] != orders_[s].size()) throw std::runtime_error("deadlock");
      StageTimes& stage = result.stages[s];
      const SimTime last_send = hops_.overlapped ? SimTime{} : hop_after(orders_[s].back());
      stage.compute_end = end_.at(orders_[s].back()) + last_send;
      stage.hop_wait += last_send;
      result.end = std::max({result.end, stage.compute_end, stage.data_end});
    }
    return result;
  }

 private:
  [[nodiscard]] int stage_of(ChunkId chunk) const { return shape_.stage_of_chunk[at(chunk)]; }
  [[nodiscard]] TaskKind passing_backward() const {
    return splits_ ? TaskKind::backward_input : TaskKind::backward;
  }

  // The task whose output this one consumes; false: none.
  [[nodiscard]] std::pair<bool, Task> source_of(const Task& t) const {
    if (t.kind == TaskKind::forward) return {t.chunk > ChunkId(0), {t.kind, t.chunk - 1, t.microbatch}};
    if (t.kind == TaskKind::backward_weight) return {true, {TaskKind::backward_input, t.chunk, t.microbatch}};
    if (t.chunk.index() + 1 == shape_.chunks) return {true, {TaskKind::forward, t.chunk, t.microbatch}};
    return {true, {passing_backward(), t.chunk + 1, t.microbatch}};
  }

  [[nodiscard]] SimTime hop_between(ChunkId from, ChunkId to) const {
    if (from == to || stage_of(from) == stage_of(to)) return SimTime{};
    return to > from ? hops_.forward[at(from)] : hops_.backward[at(to)];
  }
  [[nodiscard]] SimTime hop_after(const Task& t) const {
    if (t.kind == TaskKind::backward_weight) return SimTime{};
    const ChunkId to = t.kind == TaskKind::forward ? t.chunk + 1 : t.chunk - 1;
    return to.is_none() || to.index() == shape_.chunks ? SimTime{} : hop_between(t.chunk, to);
  }

  // The intervals in which stage s sits in a blocking transfer before its task number n.
  [[nodiscard]] std::vector<std::pair<SimTime, SimTime>> transfers_before(int s, std::size_t n) const {
    const auto& order = orders_[at(s)];
    const SimTime since = n == 0 ? SimTime{} : end_.at(order[n - 1]);
    std::vector<std::pair<SimTime, SimTime>> spans;
    if (n > 0) spans.emplace_back(since, since + hop_after(order[n - 1]));
    const auto [receives, source] = source_of(order[n]);
    if (receives) {
      const SimTime begin = std::max(since, end_.at(source));
      spans.emplace_back(begin, begin + hop_between(source.chunk, order[n].chunk));
    }
    std::sort(spans.begin(), spans.end());
    return spans;
  }

  [[nodiscard]] std::pair<bool, SimTime> start_of(int s, std::size_t n) const {
    const auto& order = orders_[at(s)];
    if (n == order.size()) return {false, {}};
    const auto [receives, source] = source_of(order[n]);
    if (receives && end_.count(source) == 0) return {false, {}};
    SimTime start = n == 0 ? SimTime{} : end_.at(order[n - 1]);
    if (hops_.overlapped) {
      const bool local = source.chunk == order[n].chunk;  // its own stage's result: no transfer to wait for
      if (receives) start = std::max(start, local ? end_.at(source) : arrival_.at(source));
    } else {
      for (const auto& span : transfers_before(s, n)) start = std::max(start, span.second);
    }
    return {true, start};
  }

  void run_task(int s, std::size_t n, SimTime start, Result& result) {
    const Task task = orders_[at(s)][n];
    StageTimes& stage = result.stages[at(s)];
    if (!hops_.overlapped) {
      SimTime covered{};
      for (const auto& [begin, end] : transfers_before(s, n)) {
        stage.hop_wait += std::max(SimTime{}, end - std::max(begin, covered));
        covered = std::max(covered, end);
      }
    }
    const bool is_last = ++count_[{task.kind, task.chunk}] == shape_.microbatches;
    const bool is_first = count_[{task.kind, task.chunk}] == 1;
    const ChunkTimes& t = times_[at(task.chunk)];
    SimTime duration{};
    bool carries_gradients = false;
    switch (task.kind) {
      case TaskKind::forward:
        duration = t.forward;
        break;
      case TaskKind::backward_input:
        duration = t.backward_input;
        break;
      case TaskKind::backward:
        duration = is_last ? t.last_backward : t.backward_input + t.backward_weight;
        carries_gradients = is_last;
        break;
      case TaskKind::backward_weight:
        duration = is_last ? std::max(SimTime{}, t.last_backward - t.backward_input) : t.backward_weight;
        carries_gradients = is_last;
    }
    SimTime end = start + duration;
    if (is_first && task.kind == TaskKind::forward && end < t.gathered) {
      stage.gather_wait += t.gathered - end;
      end = t.gathered;
    }
    end_[task] = end;
    stage.busy += duration;
    SimTime& link = link_[{s, task.kind == TaskKind::forward}];
    const SimTime hop = hop_after(task);
    arrival_[task] = hop > SimTime{} ? (link = std::max(link, end) + hop) : end;
    const DataLane lane = data_.empty() ? DataLane{} : data_[at(task.chunk)];
    if (carries_gradients && lane.busy > SimTime{}) {
      stage.data_end =
          std::max(std::max(stage.data_end, start + lane.first_start) + lane.busy, end + lane.lag);
    }
    result.placed.push_back({s, task, start, end});
  }

  const PipelineShape& shape_;
  const bool splits_;
  const Orders& orders_;
  const std::vector<ChunkTimes>& times_;
  const Hops& hops_;
  const std::vector<DataLane>& data_;
  std::map<Task, SimTime> end_, arrival_;
  std::map<std::pair<int, bool>, SimTime> link_;
  std::map<std::pair<TaskKind, ChunkId>, int> count_;
};

}  // namespace echo::timeline::twin
