// Dimensions of the values in expressions: exponents of bytes, seconds, floating-point operations, joules and
// kilograms. Counts, shares and sequences are plain numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace echo::sweep {

struct Unit {
  std::int8_t bytes = 0, seconds = 0, flops = 0, joules = 0, kilograms = 0;
  friend constexpr bool operator==(Unit, Unit) = default;
};
inline constexpr Unit plain{};
inline constexpr Unit in_bytes{1, 0, 0};
inline constexpr Unit in_seconds{0, 1, 0};
inline constexpr Unit per_second{0, -1, 0};
inline constexpr Unit bytes_per_second{1, -1, 0};
inline constexpr Unit flops_per_second{0, -1, 1};
inline constexpr Unit in_joules{0, 0, 0, 1};
inline constexpr Unit in_watts{0, -1, 0, 1};
inline constexpr Unit in_kilograms{0, 0, 0, 0, 1};

// The unit of a product and of a quotient; nothing beyond the ninth power, which no formula of this field
// reaches.
[[nodiscard]] std::optional<Unit> times(Unit left, Unit right);
[[nodiscard]] std::optional<Unit> over(Unit left, Unit right);

// "bytes", "bytes/s", "a plain number".
[[nodiscard]] std::string words_of(Unit unit);

// The meaning of a unit written after a number: the number * numerator / denominator is in bytes, seconds,
// flops, joules, kilograms or plain.
struct NamedUnit {
  Unit unit;
  std::int64_t numerator = 1, denominator = 1;
};
// "GiB", "Gb", "ms", "TFLOP", "Mi"; the case counts. Rates are written with "/s" behind and are not in here.
[[nodiscard]] std::optional<NamedUnit> find_unit(std::string_view name);
[[nodiscard]] std::vector<std::string> unit_names();

}  // namespace echo::sweep
