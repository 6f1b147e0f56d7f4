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
#include "query/luck.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>

#include "base/counter_rng.hpp"
#include "query/where.hpp"
#include "results/rank/contest.hpp"
#include "results/rank/eligible.hpp"
#include "results/rank/robust_front.hpp"
#include "text/show_quantity.hpp"

namespace echo::query {

namespace {

using results::Contender;
using results::ResultRows;

constexpr std::uint64_t seed = 20260723, draws = 200, most_rivals = 2000;
// The columns that make a parallel layout.
constexpr std::array<const char*, 8> layout_columns{"tp",  "pp",          "cp",       "ep",
                                                    "vpp", "micro_batch", "schedule", "recompute"};

struct Rival {
  double cost = 0.0;
  results::RowError error;
  std::uint64_t layout = 0;
};

// Standard normal.
double normal(std::uint64_t key, std::uint64_t number) {
  const double u = 1.0 - draw_unit(seed, key, 2 * number), v = draw_unit(seed, key, 2 * number + 1);
  return std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * v);
}

double error_of(const Rival& rival, std::uint64_t number) {
  double sum = 0.0;
  for (std::size_t k = 0; k < rival.error.step.size(); ++k) {
    const auto owner = owner_of(static_cast<ErrorSource>(k));
    const std::uint64_t who =
        owner == ErrorOwner::config
            ? rival.layout
            : mix(static_cast<std::uint64_t>(rival.error.owner[static_cast<std::size_t>(owner)]));
    sum += rival.error.step[k] * normal(mix(who ^ (k + 1)), number);
  }
  return sum;
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

std::int64_t layouts_of(const std::vector<Rival>& rivals) {
  std::vector<std::uint64_t> seen;
  for (const Rival& rival : rivals) seen.push_back(rival.layout);
  std::ranges::sort(seen);
  return std::unique(seen.begin(), seen.end()) - seen.begin();
}

// The rows that compete for the first place of each group.
std::map<double, std::vector<Rival>> rivals_of(const ResultRows& rows, const RankQuery& query,
                                               const results::Aspect& aspect) {
  const results::Eligible eligible(rows);
  const results::ErrorColumns errors(rows);
  RowFilter filter(rows, query.where);
  const auto [status, chance] = eligible.columns();
  std::vector<std::string> columns{status, chance, query.by.metric, query.per.empty() ? "status" : query.per};
  const std::size_t first_error = columns.size();
  columns.insert(columns.end(), errors.names().begin(), errors.names().end());
  const std::size_t first_layout = columns.size();
  columns.insert(columns.end(), layout_columns.begin(), layout_columns.end());
  const std::size_t first_filtered = columns.size();
  columns.insert(columns.end(), filter.columns().begin(), filter.columns().end());
  std::map<double, std::vector<Rival>> groups;
  for (results::Scan scan(rows, columns); scan.next();)
    for (std::int64_t i = 0; i < scan.count(); ++i) {
      const auto row = static_cast<std::size_t>(i);
      if (!eligible(scan, row) || !filter.keeps(scan, first_filtered, i)) continue;
      Rival rival{.cost = aspect.cost_of(scan.values(2)[row]), .error = errors.at(scan, first_error, row)};
      for (std::size_t c = 0; c < layout_columns.size(); ++c)
        rival.layout = mix(rival.layout ^ static_cast<std::uint64_t>(scan.values(first_layout + c)[row]));
      if (!std::isnan(rival.cost)) groups[scan.values(3)[row]].push_back(rival);
    }
  for (auto& [per, rivals] : groups) {
    std::ranges::stable_sort(rivals, {}, &Rival::cost);
    const double own = rivals.front().error.step[results::index_of(ErrorSource::layout)];
    const double reach = rivals.front().cost + 6.0 * std::max(own, 1e-9);
    while (!rivals.empty() && (rivals.size() > most_rivals || rivals.back().cost > reach)) rivals.pop_back();
  }
  return groups;
}

}  // namespace

std::vector<Luck> luck_of(const ResultRows& rows, const RankQuery& query,
                          const std::vector<RankedGroup>& groups) {
  std::vector<Luck> out(groups.size());
  const results::Aspect aspect = results::aspect_of(rows, query.by);
  if (!results::is_judged(rows, query.by) || aspect.slope == 0.0 || aspect.law == sweep::ErrorLaw::memory)
    return out;
  std::size_t g = 0;
  for (const auto& [per, rivals] : rivals_of(rows, query, aspect)) {
    if (g == out.size()) break;
    out[g].layouts = layouts_of(rivals);
    if (rivals.size() > 1) out[g].share = std::expm1(std::max(0.0, optimism_of(rivals)));
    ++g;
  }
  return out;
}

std::string text_of(const Luck& luck, const ResultRows& rows, const RankedGroup& group) {
  if (luck.share < 0.005 || group.rows.empty()) return "";
  const results::Table first = rows.pick(std::span(group.rows).first(1));
  const double step = first.number("step_time", 0), mfu = first.number("mfu", 0);
  return fmt::format(
      "#1 is the best of {} layouts whose order is uncertain; without the luck of being first, expect a step "
      "of {} "
      "(+{:.1f} %){}\n",
      text::show_count(luck.layouts), text::show_time(step * (1.0 + luck.share)), 100.0 * luck.share,
      std::isfinite(mfu) ? fmt::format(", {:.1f} % MFU", 100.0 * mfu / (1.0 + luck.share)) : "");
}

}  // namespace echo::query
