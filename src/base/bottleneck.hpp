// Splits a duration by the hardware limit that bounds it; `fixed` is the rest, which no limit moves.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/lane.hpp"
#include "base/units.hpp"

namespace echo {

// arithmetic: time inversely proportional to the GPU's FLOP/s; memory: to its HBM bandwidth; scale_up,
// scale_out: to the bandwidth of those links; latency: the part of a collective that no bandwidth shortens
// and that is not counted as fixed (launch, hops, posting); host: launch gaps and issue by the CPU; fixed:
// the rest (start and drain of kernels, copies bound by one SM, work in the host's memory).
enum class Bottleneck : std::int8_t { arithmetic, memory, scale_up, scale_out, latency, host, fixed };
inline constexpr std::int32_t bottleneck_count = 7;
inline constexpr std::array<std::string_view, bottleneck_count> bottleneck_names{
    "arithmetic", "memory", "scale_up", "scale_out", "latency", "host", "fixed"};

// Picoseconds of a duration per bottleneck; their sum is the duration. d ln(duration) / d ln(bandwidth) is
// minus the share of that bandwidth's bottleneck, and so on.
struct BottleneckTimes {
  std::array<double, bottleneck_count> ps{};

  double& operator[](Bottleneck d) { return ps[static_cast<std::size_t>(d)]; }
  double operator[](Bottleneck d) const { return ps[static_cast<std::size_t>(d)]; }
  void add(const BottleneckTimes& other, double factor) {
    for (std::size_t i = 0; i < ps.size(); ++i) ps[i] += factor * other.ps[i];
  }
  friend bool operator==(const BottleneckTimes&, const BottleneckTimes&) = default;
};

// The time of kernels by what they keep busy: arithmetic; HBM, or only themselves while they start, drain or
// copy. The rest waits for the host.
struct KernelTimes {
  double arithmetic_ps = 0.0, memory_ps = 0.0;

  void add(const KernelTimes& other, double factor) {
    arithmetic_ps += factor * other.arithmetic_ps;
    memory_ps += factor * other.memory_ps;
  }
  void add(const BottleneckTimes& kernel, double factor) {
    arithmetic_ps += factor * kernel[Bottleneck::arithmetic];
    memory_ps += factor * (kernel[Bottleneck::memory] + kernel[Bottleneck::fixed]);
  }
  friend bool operator==(const KernelTimes&, const KernelTimes&) = default;
};

// A stretch of critical path: its length per time category (exact sum) and per bottleneck (up to rounding).
struct PathShare {
  std::array<SimTime, time_category_count> part{};
  BottleneckTimes bottleneck;

  void add(const PathShare& other, std::int64_t count) {
    for (std::size_t i = 0; i < part.size(); ++i) part[i] += count * other.part[i];
    bottleneck.add(other.bottleneck, static_cast<double>(count));
  }
  [[nodiscard]] SimTime length() const {
    SimTime sum{};
    for (const SimTime time : part) sum += time;
    return sum;
  }
};

}  // namespace echo
