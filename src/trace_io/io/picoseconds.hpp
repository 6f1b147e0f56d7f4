// Times as text, exact to the picosecond.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/units.hpp"

namespace echo::trace_io {

// A number in thousandths: "1234.5" is 1234500; further digits are cut off. Nothing where it is no number, or
// past 9e15.
[[nodiscard]] std::optional<std::int64_t> thousandths_of(std::string_view);
[[nodiscard]] std::optional<SimTime> picoseconds_of_nanoseconds(std::string_view);
// The other way, without needless zeroes.
[[nodiscard]] std::string nanoseconds_text(SimTime);

}  // namespace echo::trace_io
