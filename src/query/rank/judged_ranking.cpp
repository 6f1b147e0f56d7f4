#include "query/rank/judged_ranking.hpp"

#include <fmt/format.h>

#include "query/text/breakdown.hpp"
#include "query/text/practice_text.hpp"
#include "query/text/result_text.hpp"

namespace echo::query {

JudgedRanking judged_ranking(const results::ResultRows& rows, const RankQuery& query, FirstPlace first) {
  JudgedRanking out{.query = query, .groups = ranked(rows, query), .broken = {}, .ties = {}, .luck = {}};
  out.broken.resize(out.groups.size());
  if (first == FirstPlace::by_practice) out.broken = break_ties(rows, query, out.groups);
  out.ties = ties_of(rows, query, out.groups);
  out.luck = luck_of(rows, query, out.groups);
  return out;
}

std::string first_place_text(const JudgedRanking& ranking, std::size_t g, const results::Table& shown,
                             const results::ResultRows& rows) {
  const RankedGroup& group = ranking.groups[g];
  const Ties& ties = ranking.ties[g];
  std::string text = text_of(ties, group, ranking.query) + text_of(ranking.broken[g], group, rows) +
                     text_of(ranking.luck[g]) + claim_text(shown, 0);
  if (group.rows.size() < 2) return text;
  const bool is_ahead = ties.gap < 0.0;  // #2 is, by prediction: a tie was broken
  text += fmt::format("{}: {}\n", is_ahead ? "why #2 is predicted to beat #1" : "why #1 beats #2",
                      why_it_wins(shown, is_ahead ? 1 : 0, is_ahead ? 0 : 1));
  return text + fmt::format("  #2 differs in: {}\n", what_differs(shown, 0, 1));
}

void add_ranked_rows(text::Json& json, const JudgedRanking& ranking, const results::ResultRows& rows) {
  for (std::size_t g = 0; g < ranking.groups.size(); ++g) {
    const results::Table shown = rows.pick(ranking.groups[g].rows);
    for (std::int64_t place = 0; place < shown.rows(); ++place) {
      json.open_object().member("rank", place + 1);
      add_row_ties(json, ranking.ties[g], static_cast<std::size_t>(place));
      add_row(json, shown, place);
      json.close();
    }
  }
}

void add_groups(text::Json& json, const JudgedRanking& ranking) {
  for (std::size_t g = 0; g < ranking.groups.size(); ++g) {
    json.open_object().member("name", ranking.groups[g].name);
    json.member("feasible", ranking.groups[g].feasible);
    add_ties(json, ranking.ties[g]);
    add_luck(json, ranking.luck[g]);
    add_tie_break(json, ranking.broken[g]);
    json.close();
  }
}

}  // namespace echo::query
