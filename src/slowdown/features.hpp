// Inputs of a learned model for a kernel and the communication beside it. Two sets that are never mixed.
//
// `metrics`: measured by profilers, for models evaluated on profiled kernels; a sweep has no profiler, so it
// cannot use them. The overlap ratio is not included: it is an outcome of the overlapped run.
//
// `simulator`: available in a sweep for any pair, measured or not. Only prices of ops/, never a kernel's kind
// or name, so that a model fitted on some kernels applies to others:
//   log2_kernel_time      short kernels are mostly launch and drain, which communication slows differently
//   sm_share              a kernel that leaves SMs free has room for the channels
//   memory_share          HBM bandwidth it draws, share of peak
//   compute_bound         whether lost SMs or lost bandwidth cost it time
//   channel_share         channels (CTAs) of the collective over SMs: the SMs it takes
//   sm_demand             sm_share + channel_share: above 1 the two do not fit side by side
//   collective_demand     HBM bandwidth the collective draws, share of peak
//   memory_demand         memory_share + collective_demand: above the sustained rate they slow each other
//   sm_stretch            compute_bound * (C - 1) of contention.cpp at its default constants
//   memory_stretch        M - 1 of the same
//   log2_collective_time  a short collective is mostly latency: it draws less than its mean rate suggests
// Sums and stretches are redundant, but trees split on one feature at a time and cannot form them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "ops/collective.hpp"
#include "ops/kernel.hpp"
#include "slowdown/contention.hpp"
#include "slowdown/overlap_row.hpp"

namespace echo::slowdown {

enum class FeatureSet : std::int8_t { metrics, simulator };
inline constexpr std::size_t metric_feature_count = 20, simulator_feature_count = 11;

[[nodiscard]] std::span<const std::string_view> feature_names(FeatureSet);

// Monotonicity of the rate kept in each feature: -1 = it never rises, 0 = free. All metrics are free: they
// are symptoms. In the simulator's set all features that grow with channels, memory_rate, sm_share or
// memory_share are constrained, as the contract of factors in model.hpp requires.
[[nodiscard]] std::span<const std::int32_t> monotone_signs(FeatureSet);

// [metric_feature_count]; times, sizes and rates as log2; NaN = unknown.
[[nodiscard]] std::vector<double> metric_features(const OverlapRow&);

// Precondition: out has simulator_feature_count elements; sm_count and memory_bandwidth are positive. All are
// finite; shares are clamped to 0..1, times to at least 1 ns.
void simulator_features(const ops::KernelPrice&, const ops::CollectiveEstimate&, const Machine&,
                        std::span<double> out);

}  // namespace echo::slowdown
