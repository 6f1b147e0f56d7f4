// How sure a row's step time is, and where it reaches beyond its evidence.
#pragma once

#include <cstdint>
#include <string>

#include "results/read_rows.hpp"

namespace echo::query {

// All of these are empty of a file without error bands (before schema 1.6).
// "+- 6.2 % one sigma, 80 % of runs within 0.94 to 1.18 times it, memory +- 4.1 %\n"
[[nodiscard]] std::string band_text(const results::Table&, std::int64_t row);
// What the error comes from, a line a source, and the parts beyond their evidence.
[[nodiscard]] std::string error_sources_text(const results::Table&, std::int64_t row);
// A line for these rows together: "beyond the evidence: host (all), network (2 of 5)\n".
[[nodiscard]] std::string beyond_text(const results::Table&);

}  // namespace echo::query
