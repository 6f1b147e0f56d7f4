// What a file keeps of all its rows together, so that who reads it need not work it out again.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/rank/effects.hpp"
#include "results/rank/robust_front.hpp"
#include "results/read_rows.hpp"

namespace echo::results {

// robust_front() of the file's two objectives, from /pareto. Nothing where it must be worked out: of rows in
// memory, of a file that another version of the schema or `echo-sweep update` made, or without a front.
[[nodiscard]] std::optional<std::vector<FrontPoint>> kept_front(const ResultRows&);

// main_effects() on `metric`, from /effects. Nothing as above, or where the file has those on another metric.
[[nodiscard]] std::optional<std::vector<MainEffect>> kept_effects(const ResultRows&,
                                                                  const std::string& metric);

}  // namespace echo::results
