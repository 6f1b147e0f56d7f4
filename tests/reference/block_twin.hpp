// The slow twin of the block composer: looks at every op at every step, keeps its books in maps, and splits
// the makespan afterwards from the starts and ends alone. Shares the input and output types with the fast
// path and nothing else.
#pragma once

#include <cmath>
#include <map>
#include <stdexcept>
#include <vector>

#include "base/at.hpp"
#include "timeline/block/block.hpp"

namespace echo::timeline::twin {

struct BlockResult {
  BlockTimes times;
  std::map<int, SimTime> start, end;
};

// Of op `i` beside all that run. With tables of losses, they add up in the order of the lanes.
inline double factor_of(int i, const std::map<int, long long>& running, const OpGraphView& graph,
                        const FactorTable& factors) {
  const auto lane = [&](int op) { return graph.lane[at(op)]; };
  const auto work = [&](int op) { return graph.work[at(op)].index(); };
  const auto of_pair = [&](std::span<const double> table, int kernel, int collective) {
    return table.empty() ? 1.0
                         : table[at(work(kernel) * factors.collectives + work(collective) - factors.kernels)];
  };
  const auto lost = [&](std::span<const double> table, int collective, int other) {
    return table[at((work(collective) - factors.kernels) * factors.collectives + work(other) -
                    factors.kernels)];
  };
  std::map<Lane, int> beside;
  for (const auto& [j, unused] : running)
    if (j != i) beside[lane(j)] = j;
  const bool shares = !factors.scale_up_loss.empty();
  if (lane(i) == Lane::compute) {
    double worst = 1.0, all = 1.0;
    for (const auto& [unused, j] : beside) {
      worst = std::fmax(worst, of_pair(factors.kernel_factor, i, j));
      all += of_pair(factors.kernel_factor, i, j) - 1.0;
    }
    return shares ? all : worst;
  }
  double factor = 1.0, up = 0.0, out = 0.0;
  for (const auto& [other, j] : beside) {
    if (other == Lane::compute) {
      factor = of_pair(factors.collective_factor, j, i);
    } else if (shares) {
      up += lost(factors.scale_up_loss, i, j);
      out += lost(factors.scale_out_loss, i, j);
    }
  }
  return factor + (up + out);
}

inline BlockResult simulate_block(const OpGraphView& graph, const std::vector<SimTime>& alone,
                                  const FactorTable& factors) {
  const int ops = static_cast<int>(graph.lane.size());
  const auto lane = [&](int i) { return graph.lane[at(i)]; };
  const auto work = [&](int i) { return graph.work[at(i)].index(); };
  BlockResult result;
  std::map<int, long long> left;  // of ops that have started and not ended
  SimTime now{};
  while (static_cast<int>(result.end.size()) < ops) {
    for (int i = 0; i < ops; ++i) {  // start all that may
      if (result.start.count(i) != 0) continue;
      bool may = true;
      for (int j = 0; j < i; ++j) may = may && (lane(j) != lane(i) || result.end.count(j) != 0);
      for (const OpId need : graph.needs->row(i)) may = may && result.end.count(need.index()) != 0;
      if (!may) continue;
      result.start[i] = now;
      left[i] = alone[at(work(i))].count();
    }
    if (left.empty()) throw std::runtime_error("deadlock");
    std::map<int, double> factor;
    for (const auto& [i, unused] : left) factor[i] = factor_of(i, left, graph, factors);
    long long dt = -1;
    std::map<int, long long> ahead;
    for (const auto& [i, rest] : left) {
      ahead[i] = std::llround(static_cast<double>(rest) * factor[i]);
      if (dt < 0 || ahead[i] < dt) dt = ahead[i];
    }
    now += SimTime(dt);
    std::map<int, long long> still;
    for (const auto& [i, rest] : left) {
      const long long rest_after = rest - std::llround(static_cast<double>(dt) / factor[i]);
      if (ahead[i] == dt || rest_after <= 0) {
        result.end[i] = now;
      } else {
        still[i] = rest_after;
      }
    }
    left = still;
  }

  BlockTimes& times = result.times;
  std::map<Lane, SimTime> lane_end;
  for (int i = 0; i < ops; ++i) {
    const std::size_t l = at(lane(i));
    const SimTime duration = result.end[i] - result.start[i];
    if (lane_end.count(lane(i)) == 0) times.first_start[l] = result.start[i];
    times.busy[l] += duration;
    if (lane(i) == Lane::compute) {
      const SimTime wait = result.start[i] - lane_end[Lane::compute];
      int released_by = -1;
      for (const OpId need : graph.needs->row(i)) {
        if (released_by < 0 || result.end[need.index()] > result.end[released_by]) released_by = need.index();
      }
      if (wait > SimTime{}) {
        times.exposed[at(graph.part[at(released_by)])] += wait;
      }
      const SimTime undisturbed = alone[at(work(i))];
      times.exposed[at(graph.part[at(i)])] += undisturbed;
      times.exposed[at(TimeCategory::slowdown)] += duration - undisturbed;
      times.slowdown_penalty += duration - undisturbed;
      times.compute_busy += duration;
    }
    lane_end[lane(i)] = result.end[i];
  }
  times.makespan = lane_end[Lane::compute];
  for (const auto& [l, end] : lane_end) {
    if (end > times.makespan) times.lag[at(l)] = end - times.makespan;
  }
  return result;
}

}  // namespace echo::timeline::twin
