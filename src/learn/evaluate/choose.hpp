// Which candidate, with which settings: asked of rows that were held out. The essay is in nested.cpp.
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
  std::int32_t folds = 5;  // fewer where there are fewer groups
  std::uint64_t seed = 1;
  std::int32_t repeats = 3;  // of folds that choose, each drawn anew: a choice by one draw is partly its luck
};

struct Split {
  std::vector<std::int32_t> training, held_out;
};
// Every row is held out once, whatever the repeats. Where all rows are of one group, they are held out row by
// row.
[[nodiscard]] std::vector<Split> splits_of(const Examples&, Rows, const FoldSettings&);

struct Choice {
  std::int32_t candidate = 0, setting = 0;
  // Of held-out rows: the mean error, what it is below that of no slowdown, and one standard error of that
  // difference (between groups).
  double mean = 0.0, advantage = 0.0, doubt = 0.0;
};

// [candidates] the setting with the largest advantage - doubt; the first of equals. The first candidate is
// no_slowdown(). Those that are never chosen and have one setting are not asked (NaN). UserError, 2: no fold
// leaves rows that overlap.
[[nodiscard]] std::vector<Choice> best_settings(const std::vector<Candidate>&, const Examples&, Rows,
                                                const FoldSettings&);
// An advantage of a mean error that is less than this (a tenth of a percent) is none that anybody would
// notice.
inline constexpr double least_advantage = 1e-3;
// Whether an advantage is more than its doubt, and enough to matter.
[[nodiscard]] constexpr bool is_beyond_doubt(double advantage, double doubt) {
  return advantage - doubt > 0.0 && advantage > least_advantage;
}
// Of the learned ones (Role) that are better beyond doubt, and no slowdown; the first of equals.
[[nodiscard]] Choice best_of(const std::vector<Candidate>&, std::span<const Choice>);

// On all rows: the best setting of the named candidate, or the best of all where the name is empty.
// UserError, 2: no such name; as best_settings().
[[nodiscard]] Choice choose_for_all(const std::vector<Candidate>&, const Examples&, const std::string& name,
                                    const FoldSettings&);

// Of one prediction for each row: fills all but the indices. `group`: numbered 0.. without gaps.
[[nodiscard]] Choice compared(std::span<const double> errors, std::span<const double> without,
                              std::span<const std::int32_t> group);

}  // namespace echo::learn
