// Sources of error of a predicted step time. A step's relative error is a sum of contributions, one per
// source: (share of the step that depends on a quantity) x (relative standard deviation of the estimate of
// that quantity). Signs agree: a quantity that is slower than predicted lengthens every step that uses it.
//
// Errors of different sources are independent. Rows of one sweep share the error of a source if they share
// its owner: the same GPU kind, the same cluster, the same framework; `layout` belongs to a single config.
// With c_ka the contribution of source k to row a, and errors relative to the step,
//   variance of a row's error          sum of c_ka^2 over all sources
//   variance of log(step a / step b)   sum over shared sources of (c_ka - c_kb)^2
//                                      + sum over the others of c_ka^2 + c_kb^2
// so the difference of two layouts on one cluster is known better than either step time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace echo {

// arithmetic: FLOP/s that kernels reach; memory: HBM bandwidth they reach, and their start and drain;
// scale_up, scale_out: bandwidth of collectives within and between nodes; latency: latency of collectives;
// host: launch gaps and issue by the CPU; overlap: how much overlapping work slows, and whether hidden
// communication stays hidden; framework: work of the framework at every step that is not modelled; layout:
// the remainder, independent for each config; production: what a production run loses beside a benchmark, 0
// in a benchmark.
enum class ErrorSource : std::int8_t {
  arithmetic,
  memory,
  scale_up,
  scale_out,
  latency,
  host,
  overlap,
  framework,
  layout,
  production
};
inline constexpr std::int32_t error_source_count = 10;
// The first of them, whose standard deviations are fitted to published benchmarks.
inline constexpr std::int32_t fitted_error_source_count = 9;
inline constexpr std::array<std::string_view, error_source_count> error_source_names{
    "arithmetic", "memory",  "scale_up",  "scale_out", "latency",
    "host",       "overlap", "framework", "layout",    "production"};

// The property that rows must have in common to share an error.
enum class ErrorOwner : std::int8_t { gpu, cluster, framework, config };

constexpr ErrorOwner owner_of(ErrorSource source) {
  switch (source) {
    case ErrorSource::arithmetic:
    case ErrorSource::memory:
      return ErrorOwner::gpu;
    case ErrorSource::scale_up:
    case ErrorSource::scale_out:
    case ErrorSource::latency:
    case ErrorSource::production:
      return ErrorOwner::cluster;
    case ErrorSource::host:
    case ErrorSource::overlap:
    case ErrorSource::framework:
      return ErrorOwner::framework;
    case ErrorSource::layout:
      return ErrorOwner::config;
  }
  return ErrorOwner::config;
}

// Relative to the step, one standard deviation each; none is negative.
using ErrorShares = std::array<float, error_source_count>;

// Parts of a prediction that no measurement supports; bits of StepReport::out_of_range and of the column.
// kernel_shapes: a tenth of compute time or more is priced beyond the measured shapes; gpu_kind: the GPU is
// priced with the constants of a related GPU; network: no collective was ever measured on such a network;
// group_size: collectives run over more nodes than were measured; host: the framework's host times are
// assumed.
enum class Beyond : std::int8_t { kernel_shapes, gpu_kind, network, group_size, host };
inline constexpr std::int32_t beyond_count = 5;
inline constexpr std::array<std::string_view, beyond_count> beyond_names{"kernel_shapes", "gpu_kind",
                                                                         "network", "group_size", "host"};

constexpr std::int32_t bit_of(Beyond part) { return 1 << static_cast<std::int32_t>(part); }

}  // namespace echo
