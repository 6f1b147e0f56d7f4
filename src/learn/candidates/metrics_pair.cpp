#include "learn/candidates/metrics_pair.hpp"

#include <algorithm>
#include <cmath>

namespace echo::learn {

namespace {

// An unknown GPU is represented by shares of a GPU of 1000 SMs: the model uses ratios only.
constexpr slowdown::Machine of_shares{.sm_count = 1000, .memory_bandwidth = 1.0};

double known_or(double value, double otherwise) { return std::isnan(value) ? otherwise : value; }

double busy_sms(const slowdown::KernelMetrics& metrics, const slowdown::Machine& machine) {
  if (machine.sm_count > 0 && metrics.blocks > 0.0) return std::min(1.0, metrics.blocks / machine.sm_count);
  const double occupied = metrics.achieved_occupancy / metrics.maximum_occupancy;
  return std::isfinite(occupied) ? std::clamp(occupied, 0.0, 1.0) : 1.0;
}

}  // namespace

Pair pair_of_metrics(const Example& example, const AssumedCommunication& assumed) {
  const slowdown::KernelMetrics& metrics = example.row.metrics;
  const slowdown::Communication& beside = example.row.beside;
  const bool is_known = example.pair.machine.sm_count > 0 && example.pair.machine.memory_bandwidth > 0.0;
  Pair pair{.machine = is_known ? example.pair.machine : of_shares};
  pair.kernel.sm_share = busy_sms(metrics, example.pair.machine);
  pair.kernel.memory_share = known_or(metrics.dram_throughput, 0.0);
  const double compute = known_or(metrics.compute_throughput, 0.0);
  const double memory = known_or(metrics.memory_throughput, 0.0);
  pair.kernel.compute_bound = compute + memory > 0.0 ? compute / (compute + memory) : 0.0;
  pair.kernel.by_memory = compute + memory > 0.0 ? memory / (compute + memory) : 0.0;
  pair.kernel.alone = from_seconds(example.row.alone);
  const double channels =
      is_known && beside.channels > 0 ? beside.channels : assumed.sm_share * pair.machine.sm_count;
  pair.collective.channels = static_cast<std::int32_t>(std::lround(channels));
  pair.collective.memory_rate = is_known && !std::isnan(beside.memory_rate)
                                    ? beside.memory_rate
                                    : assumed.memory_share * pair.machine.memory_bandwidth;
  pair.collective.time = beside.alone > 0.0 ? from_seconds(beside.alone) : assumed.time;
  return pair;
}

}  // namespace echo::learn
