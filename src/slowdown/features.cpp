#include "slowdown/features.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/contract.hpp"

namespace echo::slowdown {

namespace {

constexpr std::array<std::string_view, metric_feature_count> metric_names{
    "log2_kernel_time",   "compute_throughput", "memory_throughput", "dram_throughput",
    "achieved_occupancy", "maximum_occupancy",  "l1_hit_rate",       "l2_hit_rate",
    "tensor_share",       "fma_share",          "memory_share",      "log2_registers",
    "log2_shared_memory", "log2_blocks",        "log2_threads",      "channels",
    "log2_payload",       "log2_link_rate",     "log2_memory_rate",  "log2_collective_time"};
constexpr std::array<std::string_view, simulator_feature_count> simulator_names{
    "log2_kernel_time", "sm_share",       "memory_share",        "compute_bound",
    "channel_share",    "sm_demand",      "collective_demand",   "memory_demand",
    "sm_stretch",       "memory_stretch", "log2_collective_time"};

constexpr std::array<std::int32_t, metric_feature_count> metric_signs{};
constexpr std::array<std::int32_t, simulator_feature_count> simulator_signs{0,  -1, -1, 0,  -1, -1,
                                                                            -1, -1, -1, -1, 0};

// NaN stays NaN; what is not positive is not a size.
double octaves(double size) { return size > 0.0 ? std::log2(size) : not_measured; }

double octaves_of_microseconds(SimTime time) { return std::log2(std::max(1e-3, to_seconds(time) * 1e6)); }

double channels_of(const Communication& beside) {
  if (beside.made_by == CommunicationKind::copy_engine) return 0.0;
  return beside.channels > 0 ? beside.channels : not_measured;
}

}  // namespace

std::span<const std::string_view> feature_names(FeatureSet set) {
  if (set == FeatureSet::metrics) return metric_names;
  return simulator_names;
}

std::span<const std::int32_t> monotone_signs(FeatureSet set) {
  if (set == FeatureSet::metrics) return metric_signs;
  return simulator_signs;
}

std::vector<double> metric_features(const OverlapRow& row) {
  const KernelMetrics& metrics = row.metrics;
  const Communication& beside = row.beside;
  return {octaves(row.alone * 1e6),
          metrics.compute_throughput,
          metrics.memory_throughput,
          metrics.dram_throughput,
          metrics.achieved_occupancy,
          metrics.maximum_occupancy,
          metrics.l1_hit_rate,
          metrics.l2_hit_rate,
          metrics.tensor_share,
          metrics.fma_share,
          metrics.memory_share,
          octaves(metrics.registers),
          octaves(metrics.shared_memory + 1.0),  // none is a size too
          octaves(metrics.blocks),
          octaves(metrics.threads),
          channels_of(beside),
          octaves(beside.payload),
          octaves(beside.link_rate),
          octaves(beside.memory_rate),
          octaves(beside.alone * 1e6)};
}

void simulator_features(const ops::KernelPrice& kernel, const ops::CollectiveEstimate& collective,
                        const Machine& machine, std::span<double> out) {
  ECHO_EXPECT(out.size() == simulator_feature_count);
  ECHO_EXPECT(machine.sm_count > 0 && machine.memory_bandwidth > 0.0);
  const double sms = machine.sm_count;
  const double sm_share = std::clamp(kernel.sm_share, 0.0, 1.0);
  const double memory_share = std::clamp(kernel.memory_share, 0.0, 1.0);
  const double compute_bound = std::clamp(kernel.compute_bound, 0.0, 1.0);
  const double channel_share = std::clamp(collective.channels / sms, 0.0, 1.0);
  const double collective_demand = std::clamp(collective.memory_rate / machine.memory_bandwidth, 0.0, 1.0);
  const Stretch stretch = stretch_of(Contention{}, kernel, collective, machine);
  const std::array<double, simulator_feature_count> features{octaves_of_microseconds(kernel.alone),
                                                             sm_share,
                                                             memory_share,
                                                             compute_bound,
                                                             channel_share,
                                                             sm_share + channel_share,
                                                             collective_demand,
                                                             memory_share + collective_demand,
                                                             compute_bound * (stretch.sms - 1.0),
                                                             stretch.memory - 1.0,
                                                             octaves_of_microseconds(collective.time)};
  std::copy(features.begin(), features.end(), out.begin());
}

}  // namespace echo::slowdown
