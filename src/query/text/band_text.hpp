// The error band of a row's step time, and the parts of it that no measurement supports.
#pragma once

#include <cstdint>
#include <string>

#include "results/read_rows.hpp"

namespace echo::query {

// All of these are empty for a file without error bands (before schema 1.6).
// "+- 6.2 % one sigma, 80 % of runs within 0.94 to 1.18 times it, memory +- 4.1 %\n"
[[nodiscard]] std::string band_text(const results::Table&, std::int64_t row);
// The sources of the error, one per line, and the parts that no measurement supports.
[[nodiscard]] std::string error_sources_text(const results::Table&, std::int64_t row);
// One line for these rows together: "no measurement supports: network (2 of 5 rows), host time (all rows)\n";
// and one for the choices that no published run had (practice_text.hpp).
[[nodiscard]] std::string beyond_text(const results::Table&);

}  // namespace echo::query
