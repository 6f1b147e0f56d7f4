// A break-even surface as people and programs read it.
#pragma once

#include <string>

#include "cli/break_even/surface.hpp"

namespace echo::cli {

// The table of winners with a letter for each, the boundaries, and what was searched.
[[nodiscard]] std::string surface_text(const Surface&);
// All of it; `file` and `changed` (SurfaceSweep::what_changed) are members too.
[[nodiscard]] std::string surface_json(const Surface&, const std::string& file, const std::string& changed);
// One line per cell.
[[nodiscard]] std::string surface_csv(const Surface&);

}  // namespace echo::cli
