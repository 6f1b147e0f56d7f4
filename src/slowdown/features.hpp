// What a learned model is told of a kernel and of the communication beside it. Two sets that never mix.
//
// `metrics`: what profilers measured. For models that are judged on profiled kernels; a sweep has no
// profiler, so it cannot use them. The overlap ratio is left out: it is an outcome of the overlapped run.
//
// `simulator`: what a sweep knows of any pair, measured or not. Prices of ops/ only, never a kernel's kind or
// name, so that a model fitted on some kernels says something about others:
//   log2_kernel_time      short kernels live on launch and drain, which communication hurts differently
//   sm_share              a kernel that leaves SMs free has room for the channels
//   memory_share          HBM bandwidth it draws, share of peak
//   compute_bound         whether lost SMs or lost bandwidth cost it time
//   channel_share         channels (CTAs) of the collective over SMs: what it takes away
//   sm_demand             sm_share + channel_share: above 1 the two do not fit side by side
//   collective_demand     HBM bandwidth the collective draws, share of peak
//   memory_demand         memory_share + collective_demand: above what is sustained they slow each other
//   sm_stretch            compute_bound * (C - 1) of contention.cpp at its default constants
//   memory_stretch        M - 1 of the same
//   log2_collective_time  a short collective is mostly latency: it draws less than its mean rate says
// Sums and stretches say nothing new, but trees cut one feature at a time and cannot form them.
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

// How the rate kept may move with each feature: -1 = it never rises, 0 = free. Metrics are all free: they are
// symptoms. Of the simulator's set all that grows with channels, memory_rate, sm_share or memory_share is
// bound, which is what model.hpp promises of the factors.
[[nodiscard]] std::span<const std::int32_t> monotone_signs(FeatureSet);

// [metric_feature_count]; times, sizes and rates as log2; NaN = unknown.
[[nodiscard]] std::vector<double> metric_features(const OverlapRow&);

// Precondition: out has simulator_feature_count elements; sm_count and memory_bandwidth are positive. All are
// finite; shares are clamped to 0..1, times taken as 1 ns at least.
void simulator_features(const ops::KernelPrice&, const ops::CollectiveEstimate&, const Machine&,
                        std::span<double> out);

}  // namespace echo::slowdown
