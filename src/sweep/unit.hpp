// Dimensions of the values in expressions: exponents of bytes, seconds and floating-point operations. Counts,
// shares and sequences are plain numbers.
#pragma once

#include <cstdint>

namespace echo::sweep {

struct Unit {
  std::int8_t bytes = 0, seconds = 0, flops = 0;
  friend constexpr bool operator==(Unit, Unit) = default;
};
inline constexpr Unit plain{};
inline constexpr Unit in_bytes{1, 0, 0};
inline constexpr Unit in_seconds{0, 1, 0};
inline constexpr Unit per_second{0, -1, 0};
inline constexpr Unit bytes_per_second{1, -1, 0};
inline constexpr Unit flops_per_second{0, -1, 1};

}  // namespace echo::sweep
