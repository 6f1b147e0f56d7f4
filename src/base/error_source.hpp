// Why a predicted step time may be wrong. A step's relative error is a sum of contributions, one a source,
// each = (share of the step that hangs on a thing) x (relative standard deviation of what is known of that
// thing), signed alike: a thing that is slower than predicted makes every step longer that hangs on it.
//
// Errors of different sources are independent. Rows of one sweep share the error of a source where they share
// its owner: the same GPU kind, the same cluster, the same framework; `layout` belongs to the one config.
// With c_ka the contribution of source k to row a, and errors relative to the step,
//   variance of a row's error          sum of c_ka^2 over all sources
//   variance of log(step a / step b)   sum over shared sources of (c_ka - c_kb)^2
//                                      + sum over the others of c_ka^2 + c_kb^2
// so that two layouts on one cluster are told apart better than either is known.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace echo {

// arithmetic: what FLOP/s kernels reach; memory: what HBM bandwidth, and the start and drain of kernels;
// scale_up, scale_out: bandwidth of collectives within and between nodes; latency: theirs; host: launch gaps
// and issue by the CPU; overlap: how much overlapping work slows, and whether communication that is hidden
// stays so; framework: what a framework does at every step that is not modelled; layout: what is left, of
// each config its own.
enum class ErrorSource : std::int8_t {
  arithmetic,
  memory,
  scale_up,
  scale_out,
  latency,
  host,
  overlap,
  framework,
  layout
};
inline constexpr std::int32_t error_source_count = 9;
inline constexpr std::array<std::string_view, error_source_count> error_source_names{
    "arithmetic", "memory", "scale_up", "scale_out", "latency", "host", "overlap", "framework", "layout"};

// Whose error it is.
enum class ErrorOwner : std::int8_t { gpu, cluster, framework, config };

constexpr ErrorOwner owner_of(ErrorSource source) {
  switch (source) {
    case ErrorSource::arithmetic:
    case ErrorSource::memory:
      return ErrorOwner::gpu;
    case ErrorSource::scale_up:
    case ErrorSource::scale_out:
    case ErrorSource::latency:
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

// Where a prediction reaches beyond its evidence; bits of StepReport::out_of_range and of the column.
// kernel_shapes: a tenth of compute time or more is priced beyond the shapes that were measured; gpu_kind:
// the GPU is priced with the constants of a relative; network: no collective was ever measured on such a
// network; group_size: collectives run over more nodes than were measured; host: the framework's host times
// are assumed.
enum class Beyond : std::int8_t { kernel_shapes, gpu_kind, network, group_size, host };
inline constexpr std::int32_t beyond_count = 5;
inline constexpr std::array<std::string_view, beyond_count> beyond_names{"kernel_shapes", "gpu_kind",
                                                                         "network", "group_size", "host"};

constexpr std::int32_t bit_of(Beyond part) { return 1 << static_cast<std::int32_t>(part); }

}  // namespace echo
