// One dimension of a machine: GPUs that differ in only one coordinate, and the links between them. A machine
// is a list of dimensions from the GPU outwards: eight GPUs on a switch, four such nodes on another.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/units.hpp"
#include "machine/given_machine.hpp"

namespace echo::textbook {

using machine::dimension_kind_names;
using machine::DimensionKind;

enum class Reach : std::int8_t { scale_up, scale_out };

struct Dimension {
  DimensionKind kind = DimensionKind::switched;
  std::int32_t size = 1;
  BytesPerSecond bandwidth;  // of one GPU, all its cables together, one direction
  SimTime latency{};         // of one hop
  Reach reach = Reach::scale_up;
  friend bool operator==(const Dimension&, const Dimension&) = default;

  [[nodiscard]] BytesPerSecond cable() const {  // one of them, or the port
    switch (kind) {
      case DimensionKind::ring:
      case DimensionKind::line:
        return bandwidth / 2.0;
      case DimensionKind::fully_connected:
        return bandwidth / std::max(1.0, size - 1.0);
      case DimensionKind::switched:
        break;
    }
    return bandwidth;
  }
};

// A time with its parts: `latency` is proportional to the links' latencies, `scale_up` and `scale_out` to the
// inverse of their bandwidths; `endpoint` is what ranks take by themselves.
struct Cost {
  SimTime latency{}, scale_up{}, scale_out{}, endpoint{};
  [[nodiscard]] constexpr SimTime time() const { return latency + scale_up + scale_out + endpoint; }
  constexpr Cost& operator+=(const Cost& other) {
    latency += other.latency, scale_up += other.scale_up, scale_out += other.scale_out;
    endpoint += other.endpoint;
    return *this;
  }
  friend constexpr Cost operator+(Cost a, const Cost& b) { return a += b; }
  friend constexpr Cost operator*(std::int64_t n, const Cost& c) {
    return {n * c.latency, n * c.scale_up, n * c.scale_out, n * c.endpoint};
  }
  friend bool operator==(const Cost&, const Cost&) = default;
};

// A time that links of this reach take to carry bytes.
[[nodiscard]] constexpr Cost on_links(SimTime wire, Reach reach) {
  return reach == Reach::scale_up ? Cost{.scale_up = wire} : Cost{.scale_out = wire};
}

}  // namespace echo::textbook
