// Times as text, exact to the picosecond.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/units.hpp"

namespace echo::interchange {

// "1234.5" ns is 1234500 ps; further digits are cut off. Nothing where it is no number, or past 9e15 ns.
[[nodiscard]] std::optional<SimTime> picoseconds_of_nanoseconds(std::string_view);
// The other way, without needless zeroes.
[[nodiscard]] std::string nanoseconds_text(SimTime);

}  // namespace echo::interchange
