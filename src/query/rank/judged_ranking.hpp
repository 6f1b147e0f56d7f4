// A ranking, and what the errors of its rows say of the first place: which rows tie, whether practice moved
// one of them to the front, and how much of the lead is luck.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "query/rank/luck.hpp"
#include "query/rank/ranking.hpp"
#include "query/rank/tie_break.hpp"
#include "query/rank/ties.hpp"

namespace echo::query {

enum class FirstPlace { by_practice, by_metric };  // among rows that tie: break_ties(), or the metric alone

struct JudgedRanking {
  RankQuery query;
  // One entry per group each.
  std::vector<RankedGroup> groups;
  std::vector<TieBreak> broken;
  std::vector<Ties> ties;
  std::vector<Luck> luck;
};

[[nodiscard]] JudgedRanking judged_ranking(const results::ResultRows&, const RankQuery&,
                                           FirstPlace = FirstPlace::by_practice);

// The lines that follow the table of a group with rows: ties, a broken tie, luck, a claim beyond all
// published runs, and why the first beats the second. `shown`: the rows of the group.
[[nodiscard]] std::string first_place_text(const JudgedRanking&, std::size_t group,
                                           const results::Table& shown, const results::ResultRows&);

// Adds the rows of all groups, each with its rank and what ties with the first, to an open list.
void add_ranked_rows(text::Json&, const JudgedRanking&, const results::ResultRows&);
// Adds the groups to an open list: name, number of feasible rows, "ties", "without_luck" and "tie_break".
void add_groups(text::Json&, const JudgedRanking&);

}  // namespace echo::query
