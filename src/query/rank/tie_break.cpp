// Problem: the rows that tie with the best differ in predictions by less than their errors, and the best of
// them is the one that is priced too cheaply most often: with a combination of choices of which no published
// run can say that it works. Idea: what the errors cannot decide, practice decides. The row then promised is
// a little slower, and was run. A row that may tie only because less is known of it takes no part:
// its error must be at most a tenth greater than that of the best. Nor does one that ties only because less
// is known of the best: it must tie were that known as well. The one with the least 90th percentile is taken
// of rows that nobody ran as much: where two predictions are alike, the surer one.
#include "query/rank/tie_break.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "query/rank/contenders.hpp"
#include "query/rank/ties.hpp"
#include "query/text/practice_text.hpp"
#include "query/text/result_text.hpp"
#include "results/rank/robust_front.hpp"
#include "text/show_quantity.hpp"

namespace echo::query {

namespace {

struct Candidate {
  std::int32_t untried = 32;
  double late = 0.0, cost = 0.0, value = 0.0;  // late: the 90th percentile of the cost
  std::int64_t row = -1;
  bool is_better_known = false;  // than the best
  friend bool operator<(const Candidate& a, const Candidate& b) {
    return std::tie(a.untried, a.late, a.row) < std::tie(b.untried, b.late, b.row);
  }
};

struct Contest {
  std::size_t group = 0;
  results::Contender best;
  std::int32_t best_untried = 0;
  Candidate first;
};

bool may_replace(const results::Aspect& aspect, const results::Contender& best,
                 const results::Contender& other) {
  if (chance_of_first(aspect, best, other) >= results::sure) return false;
  if (aspect.law == sweep::ErrorLaw::memory || best.row == other.row) return true;
  if (!settle::is_known_as_well(other.error, best.error)) return false;
  results::Contender known_as_well = best;
  known_as_well.error = settle::no_greater_than(other.error, best.error);
  return chance_of_first(aspect, known_as_well, other) < results::sure;
}

Candidate candidate_of(const results::Aspect& aspect, const results::Contender& best,
                       const results::Contender& one, std::int32_t untried, double value) {
  const bool by_memory = aspect.law == sweep::ErrorLaw::memory;
  const double sigma = by_memory ? one.error.memory : std::sqrt(settle::step_variance(one.error));
  return {.untried = untried,
          .late = one.cost[0] + settle::z90 * sigma,
          .cost = one.cost[0],
          .value = value,
          .row = one.row,
          .is_better_known = !by_memory && !settle::is_known_as_well(best.error, one.error)};
}

void move_to_front(RankedGroup& group, const Candidate& first) {
  const auto found = std::ranges::find(group.rows, first.row);
  const auto place = found == group.rows.end() ? std::ssize(group.rows) - 1 : found - group.rows.begin();
  group.rows.erase(group.rows.begin() + place), group.values.erase(group.values.begin() + place);
  group.rows.insert(group.rows.begin(), first.row);
  group.values.insert(group.values.begin(), first.value);
  group.most_untried = first.untried;
}

}  // namespace

std::vector<TieBreak> break_ties(const results::ResultRows& rows, const RankQuery& query,
                                 std::vector<RankedGroup>& groups) {
  std::vector<TieBreak> out(groups.size());
  if (!results::is_judged(rows, query.by) || rows.find("untried") == nullptr) return out;
  Contenders contenders(rows, query, {"untried", query.by.metric});
  const results::Aspect& aspect = contenders.aspect();
  if (aspect.slope == 0.0) return out;
  const auto untried = [](double bits) {
    return std::popcount(static_cast<std::uint32_t>(static_cast<std::int32_t>(bits)));
  };
  const std::map<std::int64_t, std::size_t> group_of = groups_by_first_row(groups);
  std::map<GroupKey, Contest> contests;  // by value of `per`
  contenders.for_each_near(group_of,
                           [&](const GroupKey& per, const results::Contender& one, const auto& other) {
                             if (const auto found = group_of.find(one.row); found != group_of.end())
                               contests[per] = {found->second, one, untried(other(0)), {}};
                           });
  contenders.for_each([&](const GroupKey& per, const results::Contender& one, const auto& other) {
    const auto found = contests.find(per);
    if (found == contests.end() || std::isnan(one.cost[0])) return;
    Contest& contest = found->second;
    if (!may_replace(aspect, contest.best, one)) return;
    contest.first =
        std::min(contest.first, candidate_of(aspect, contest.best, one, untried(other(0)), other(1)));
  });
  for (const auto& [per, contest] : contests) {
    TieBreak& entry = out[contest.group];
    entry = {contest.first.untried < contest.best_untried || contest.first.is_better_known, contest.best.row,
             std::expm1(contest.first.cost - contest.best.cost[0]),
             std::min(contest.first.untried, contest.best_untried), contest.best_untried};
    if (entry.is_moved)
      move_to_front(groups[contest.group], contest.first);
    else
      entry.gap = 0.0;
  }
  return out;
}

std::string text_of(const TieBreak& entry, const RankedGroup& group, const results::ResultRows& rows) {
  if (!entry.is_moved) return "";
  const results::Table best = rows.pick(std::vector{entry.best}),
                       first = rows.pick(std::vector{group.rows.front()});
  const auto place = std::ranges::find(group.rows, entry.best) - group.rows.begin();
  const std::string name =
      place < std::ssize(group.rows)
          ? fmt::format("#{}", place + 1)
          : config_key(best, 0).substr(0, static_cast<std::size_t>(key_digits(rows, best)));
  const std::string place_lost =
      fmt::format("#1 is {} behind {} by prediction and ties with it; ", text::show_share(entry.gap), name);
  if (entry.untried == entry.best_untried)
    return place_lost + fmt::format("more is known of it: its 80 % band is +-{}, that of {} +-{}\n",
                                    text::show_share(first.number("rel_error_p90", 0)), name,
                                    text::show_share(best.number("rel_error_p90", 0)));
  return place_lost + fmt::format("{}: no published run of the GPU kind had {} of {}\n",
                                  entry.untried == 0 ? "it is of a kind that publications ran"
                                                     : "it is closer to what publications ran",
                                  untried_text(best, 0, first.integer("untried", 0)), name);
}

void add_tie_break(text::Json& json, const TieBreak& entry) {
  json.key("tie_break").open_object().member("moved", entry.is_moved).member("gap", entry.gap);
  json.member("untried_choices", entry.untried).member("untried_choices_of_best", entry.best_untried).close();
}

}  // namespace echo::query
