// Parses numbers in the format of NVIDIA's profilers.
#pragma once

#include <optional>
#include <string_view>

namespace echo::nsight {

// "1,234.5": digits in groups of three, as the English locale has them; nothing where it is no such number,
// or not finite.
[[nodiscard]] std::optional<double> number_in(std::string_view cell);

// One unit in seconds, or in bytes (Nsight Compute's Kbyte is 1000 bytes; "byte/block" is a
// byte); nothing where it is no unit of them.
[[nodiscard]] std::optional<double> seconds_of(std::string_view unit);  // "usecond", "us"
[[nodiscard]] std::optional<double> bytes_of(std::string_view unit);    // "Kbyte/block"

// A percentage as a share, 0 to 1. Passes of a replay differ, so a hit rate may come out a little above 100;
// it counts as 100. Nothing where it is no percentage.
inline constexpr double most_percent = 105.0;
[[nodiscard]] std::optional<double> share_of(double percent);

}  // namespace echo::nsight
