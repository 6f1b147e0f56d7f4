// The table of overlaps by profile, one row per observation: what slowdown/profile_rows.hpp reads.
#pragma once

#include <string>

#include "overlaps/observation.hpp"
#include "overlaps/profile.hpp"

namespace echo::overlaps {

// The same of every row of a profile.
struct RowOrigin {
  std::string source;     // where the profile comes from; empty: its path
  std::string run_group;  // rows of one run: of its ranks
  std::string gpu;        // where the profile does not name its own
};

[[nodiscard]] std::string rows_header();  // with its line end
// One line. Times in us, sizes in bytes, rates in GB/s; empty where not known.
[[nodiscard]] std::string row_text(const Profile&, const Observation&, const RowOrigin&);

}  // namespace echo::overlaps
