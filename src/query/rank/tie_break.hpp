// Breaks ties for the first place towards layouts that publications have actually run, and towards those of
// which more is known.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "query/rank/ranking.hpp"
#include "text/json.hpp"

namespace echo::query {

struct TieBreak {
  bool is_moved = false;          // the first row of the group is not the best by the metric
  std::int64_t best = -1;         // the row that is
  double gap = 0.0;               // cost of the first row over that of the best, less 1
  std::int32_t untried = 0;       // choices of the first row that no published run of its GPU kind had
  std::int32_t best_untried = 0;  // and of the best
};

// Moves to the front of each group that row whose choices published runs have exercised most completely (with
// the fewest untried ones, and of equals that with the least 90th percentile), among those that tie with the
// group's best (results::sure), whose step is known as well (settle::is_known_as_well), and that would tie
// were the best known as well. More must be known of a row with as many untried choices as the best. Leaves
// groups alone in files without errors of the metric or without the column `untried`. One pass over the file.
// One entry per group, in order.
[[nodiscard]] std::vector<TieBreak> break_ties(const results::ResultRows&, const RankQuery&,
                                               std::vector<RankedGroup>&);

// One line where the first row was moved. `shown`: the group's rows.
[[nodiscard]] std::string text_of(const TieBreak&, const RankedGroup&, const results::ResultRows&);
// Adds "tie_break" to an open object.
void add_tie_break(text::Json&, const TieBreak&);

}  // namespace echo::query
