// The Pareto front as a table.
#pragma once

#include <string>

#include "query/text/ranked_table.hpp"
#include "results/read_rows.hpp"
#include "text/json.hpp"

namespace echo::query {

// "Pareto front (train_time x gpus): 3 points, 2 robust and 1 tied; 5 unproven behind it".
[[nodiscard]] std::string front_line(const results::ResultRows&);

// That line and the points of the front as predicted, the best of the first objective first, each with its
// standing and likeliest rival.
[[nodiscard]] std::string front_text(const results::ResultRows&, RankedTable);
void add_front(text::Json&, const results::ResultRows&);  // "pareto": objectives, and points in that order

}  // namespace echo::query
