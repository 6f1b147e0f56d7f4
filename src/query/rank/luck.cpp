// How much of a winner's lead is luck.
//
// Problem. Each predicted step carries an error, and the minimum over thousands of rows finds the row whose
// error is most favourable (Smith and Winkler, "The optimizer's curse", Management Science 2006). Idea: a
// parametric bootstrap. Take the predictions as true, draw new predictions with the error model that the file
// holds,
//   x'_i = x_i + sum over shared sources k of c_ik u_k + c_i,layout v_i,     u, v standard normal,
// find the winner of each draw, and average how much better it was predicted than it is: x_winner -
// x'_winner. What all rows share moves the winner as it moves the others, and has mean zero. Rows of one
// parallel layout share v: they differ in small choices (kernels, offloading), not in what the layout term
// stands for. Neglected: that the predictions are themselves a draw (the expectation is a little too small),
// and that layouts are alike in degrees.
//
// After measured runs rows are known unequally well, and the mean over all winners says little about one that
// was measured. So in an updated file errors are drawn with the covariance that remains, in which a layout
// term is a row's own, and the mean is over the draws that the first row itself wins.
#include "query/rank/luck.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "base/counter_rng.hpp"
#include "query/rank/contenders.hpp"
#include "results/rank/robust_front.hpp"
#include "settle/cholesky.hpp"
#include "text/show_quantity.hpp"

namespace echo::query {

namespace {

constexpr std::uint64_t seed = 20260723, draws = 200, most_rivals = 2000;
constexpr std::uint64_t updated_draws = 2000;
constexpr std::size_t most_updated_rivals = 300;  // whose covariance is a matrix
// The columns that make a parallel layout.
constexpr std::size_t layout_columns = 8;
const std::vector<std::string> layout_and_result{"tp",          "pp",       "cp",        "ep",        "vpp",
                                                 "micro_batch", "schedule", "recompute", "step_time", "mfu"};

struct Rival {
  std::int64_t row = 0;
  double cost = 0.0;
  results::RowError error;
  std::uint64_t layout = 0;
  double step = 0.0, mfu = 0.0;
  std::int32_t untried = 0;
};

double error_of(const Rival& rival, std::uint64_t number) {
  double sum = 0.0;
  for (std::size_t k = 0; k < rival.error.step.size(); ++k) {
    const auto owner = owner_of(static_cast<ErrorSource>(k));
    const std::uint64_t who =
        owner == ErrorOwner::config
            ? rival.layout
            : mix(static_cast<std::uint64_t>(rival.error.owner[static_cast<std::size_t>(owner)]));
    sum += rival.error.step[k] * draw_normal(seed, mix(who ^ (k + 1)), number);
  }
  return sum;
}

settle::Cholesky factor_of(const std::vector<Rival>& rivals) {
  settle::Cholesky factor;
  for (std::size_t i = 0; i < rivals.size(); ++i) {
    std::vector<double> covariances;
    for (std::size_t j = 0; j <= i; ++j)
      covariances.push_back(settle::step_covariance(rivals[i].error, rivals[j].error,
                                                    i == j ? settle::Rows::same : settle::Rows::different));
    factor.add(covariances);
  }
  return factor;
}

std::vector<double> remaining_errors(const settle::Cholesky& factor, std::uint64_t number) {
  std::vector<double> z;
  for (std::size_t i = 0; i < factor.size(); ++i) z.push_back(draw_normal(seed, i, number));
  return factor.times(z);
}

double optimism_of(const std::vector<Rival>& rivals) {
  double sum = 0.0;
  for (std::uint64_t number = 0; number < draws; ++number) {
    double best = std::numeric_limits<double>::infinity(), gap = 0.0;
    for (const Rival& rival : rivals) {
      const double error = error_of(rival, number);
      if (rival.cost + error < best) best = rival.cost + error, gap = -error;
    }
    sum += gap;
  }
  return sum / static_cast<double>(draws);
}

// Over the draws that the first row wins: 0 where it wins none.
double updated_optimism_of(const std::vector<Rival>& rivals) {
  const settle::Cholesky factor = factor_of(rivals);
  double sum = 0.0, wins = 0.0;
  for (std::uint64_t number = 0; number < updated_draws; ++number) {
    const std::vector<double> errors = remaining_errors(factor, number);
    const double first = rivals.front().cost + errors.front();
    bool is_first = true;
    for (std::size_t i = 1; i < rivals.size() && is_first; ++i)
      is_first = first <= rivals[i].cost + errors[i];
    if (is_first) sum -= errors.front(), wins += 1.0;
  }
  return wins > 0.0 ? sum / wins : 0.0;
}

std::int64_t layouts_of(const std::vector<Rival>& rivals) {
  std::vector<std::uint64_t> seen;
  for (const Rival& rival : rivals) seen.push_back(rival.layout);
  std::ranges::sort(seen);
  return std::unique(seen.begin(), seen.end()) - seen.begin();
}

// The rows that compete for the first place of each group, best first, by the row that has it. Where a tie
// was broken, rows with more untried choices do not compete.
std::map<std::int64_t, std::vector<Rival>> rivals_of(Contenders& contenders, bool has_untried,
                                                     std::span<const RankedGroup> ranked) {
  std::map<GroupKey, std::vector<Rival>> groups;  // by value of `per`
  contenders.for_each([&](const GroupKey& per, const results::Contender& one, const auto& other) {
    if (std::isnan(one.cost[0])) return;
    Rival rival{.row = one.row, .cost = one.cost[0], .error = one.error};
    for (std::size_t c = 0; c < layout_columns; ++c)
      rival.layout = mix(rival.layout ^ static_cast<std::uint64_t>(other(c)));
    rival.step = other(layout_columns), rival.mfu = other(layout_columns + 1);
    if (has_untried)
      rival.untried =
          std::popcount(static_cast<std::uint32_t>(static_cast<std::int32_t>(other(layout_columns + 2))));
    groups[per].push_back(rival);
  });
  std::map<std::int64_t, std::vector<Rival>> by_first;
  for (auto& one_group : groups) {
    auto& rivals = one_group.second;  // a name of its own: clang 14 captures no structured binding
    std::ranges::stable_sort(rivals, {}, &Rival::cost);
    const auto first_of = [&rivals](const RankedGroup& group) {
      return group.rows.empty() ? rivals.end() : std::ranges::find(rivals, group.rows.front(), &Rival::row);
    };
    const auto group =
        std::ranges::find_if(ranked, [&](const RankedGroup& one) { return first_of(one) != rivals.end(); });
    if (group == ranked.end()) continue;
    rivals.erase(rivals.begin(), first_of(*group));
    std::erase_if(rivals, [&](const Rival& one) { return one.untried > group->most_untried; });
    const double own = rivals.front().error.step[results::index_of(ErrorSource::layout)];
    const double reach = rivals.front().cost + 6.0 * std::max(own, 1e-9);
    const std::size_t most = rivals.front().error.explained.empty() ? most_rivals : most_updated_rivals;
    while (rivals.size() > most || rivals.back().cost > reach) rivals.pop_back();
    const std::int64_t first = rivals.front().row;
    by_first.emplace(first, std::move(rivals));
  }
  return by_first;
}

}  // namespace

std::vector<Luck> luck_of(const results::ResultRows& rows, const RankQuery& query,
                          std::span<const RankedGroup> groups) {
  std::vector<Luck> out(groups.size());
  if (!results::is_judged(rows, query.by)) return out;
  std::vector<std::string> wanted = layout_and_result;
  const bool has_untried = rows.find("untried") != nullptr;
  if (has_untried) wanted.emplace_back("untried");
  Contenders contenders(rows, query, wanted);
  const results::Aspect& aspect = contenders.aspect();
  if (aspect.slope == 0.0 || aspect.law == sweep::ErrorLaw::memory) return out;
  const auto by_first = rivals_of(contenders, has_untried, groups);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const auto found = groups[g].rows.empty() ? by_first.end() : by_first.find(groups[g].rows.front());
    if (found == by_first.end()) continue;
    const std::vector<Rival>& rivals = found->second;
    out[g] = {.layouts = layouts_of(rivals), .step = rivals.front().step, .mfu = rivals.front().mfu};
    if (rivals.size() < 2) continue;
    const bool is_updated = !rivals.front().error.explained.empty();
    const double optimism = is_updated ? updated_optimism_of(rivals) : optimism_of(rivals);
    out[g].share = std::expm1(std::max(0.0, optimism));
  }
  return out;
}

void add_luck(text::Json& json, const Luck& luck) {
  const double over = 1.0 + luck.share;
  json.key("without_luck").open_object().member("share", luck.share).member("layouts", luck.layouts);
  json.member("step_time", luck.step * over).member("mfu", luck.mfu / over).close();
}

std::string text_of(const Luck& luck) {
  if (luck.share < 0.005) return "";
  const double over = 1.0 + luck.share;
  return fmt::format(
      "#1 is the best of {} layouts whose order is uncertain; without the luck of being first, expect a step "
      "of {} (+{:.1f} %){}\n",
      text::show_count(luck.layouts), text::show_time(luck.step * over), 100.0 * luck.share,
      std::isfinite(luck.mfu) ? fmt::format(", {:.1f} % MFU", 100.0 * luck.mfu / over) : "");
}

}  // namespace echo::query
