// Which real runs would settle a ranking: the choice among layouts, before and after some of them are
// measured.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "settle/row_error.hpp"

namespace echo::settle {

// One row of a ranking.
struct Choice {
  double cost = 0.0;  // ln of what is ranked by, least is best; its error is that of ln step_time
  RowError error;
  double price = 0.0;     // of a run of it; GPU-seconds
  double noise = 0.0;     // variance of the measurement (run_noise.hpp)
  bool competes = false;  // may be chosen in the end
  bool can_run = false;   // may be measured
};

// What is to be expected of choosing the row of the least expected cost.
struct Outlook {
  double regret = 0.0;        // mean of ln(true cost of the chosen row / of the best), by drawn worlds
  double regret_error = 0.0;  // one standard error of that mean
  double chance = 0.0;        // that the chosen row is truly the best
};

// Worlds: draws of the true costs of all rows from the error model, a multivariate Student's t.
// Deterministic.
inline constexpr std::size_t world_count = 2000;
// outlooks[n]: after the first n of these runs (places in `choices`) are measured. Contract: one row
// competes.
[[nodiscard]] std::vector<Outlook> outlooks(std::span<const Choice> choices,
                                            std::span<const std::size_t> runs);

// The choice of up to `count` runs, one after the other: each time the run that leaves the least expected
// regret; of those that take away nearly as much (worth_as_much of the best), the cheapest; of equals the
// first. Fewer where no further run would change the choice. Places in `choices`.
inline constexpr double worth_as_much = 0.8;
[[nodiscard]] std::vector<std::size_t> next_runs(std::span<const Choice> choices, std::size_t count);

// What a number of runs is expected to take off the regret, by which next_runs chooses.
[[nodiscard]] double expected_gain(std::span<const Choice> choices, std::span<const std::size_t> runs);

}  // namespace echo::settle
