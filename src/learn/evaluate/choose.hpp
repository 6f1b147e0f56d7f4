// Choice of a candidate and its settings on held-out rows. Explained in nested.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "learn/candidates/candidates.hpp"
#include "learn/evaluate/folds.hpp"

namespace echo::learn {

struct FoldSettings {
  Grouping grouping = Grouping::row;
  std::int32_t folds = 5;  // fewer if there are fewer groups
  std::uint64_t seed = 1;
  std::int32_t repeats = 3;  // repeated random folds for a choice: a single draw is partly chance
};

struct Split {
  std::vector<std::int32_t> training, held_out;
};
// Every row is held out once per repeat. If all rows are in one group, they are held out row by row.
[[nodiscard]] std::vector<Split> splits_of(const Examples&, Rows, const FoldSettings&);

struct Choice {
  std::int32_t candidate = 0, setting = 0;
  // On held-out rows: the mean error, its advantage over no slowdown, and one standard error of that
  // advantage (between groups).
  double mean = 0.0, advantage = 0.0, doubt = 0.0;
};

// [candidates] the setting with the largest advantage - doubt; ties take the first. The first candidate is
// no_slowdown(). Candidates that are never chosen and have one setting are not evaluated (NaN). UserError, 2:
// no fold leaves rows that overlap.
[[nodiscard]] std::vector<Choice> best_settings(const std::vector<Candidate>&, const Examples&, Rows,
                                                const FoldSettings&);
// A smaller advantage of a mean error (a tenth of a percent) is negligible.
inline constexpr double least_advantage = 1e-3;
// Whether an advantage is larger than its doubt and not negligible.
[[nodiscard]] constexpr bool is_beyond_doubt(double advantage, double doubt) {
  return advantage - doubt > 0.0 && advantage > least_advantage;
}
// The best of the learned ones (Role) that are better beyond doubt, and of no slowdown; ties take the first.
[[nodiscard]] Choice best_of(const std::vector<Candidate>&, std::span<const Choice>);

// On all rows: the best setting of the named candidate, or the best of all if the name is empty.
// UserError, 2: no such name; as best_settings().
[[nodiscard]] Choice choose_for_all(const std::vector<Candidate>&, const Examples&, const std::string& name,
                                    const FoldSettings&);

// For one prediction per row: fills all except the indices. `group`: numbered 0.. without gaps.
[[nodiscard]] Choice compared(std::span<const double> errors, std::span<const double> without,
                              std::span<const std::int32_t> group);

}  // namespace echo::learn
