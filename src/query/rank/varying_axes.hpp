// The axes that a table of results has to show: those that vary in the sweep.
#pragma once

#include <string>
#include <vector>

#include "results/read_rows.hpp"

namespace echo::query {

// Inputs that the sweep turns and that take several values over all rows, feasible or not, in the order of
// the columns. None of a file that does not say what its sweep turns. One pass over these columns.
[[nodiscard]] std::vector<std::string> varying_axes(const results::ResultRows&);

}  // namespace echo::query
