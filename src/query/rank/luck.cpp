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
// stands for. Rows of which little is known win by more luck than the first row can have had, so the mean is
// over the draws whose winner is known as well as it (settle::is_known_as_well). Neglected: that the
// predictions are themselves a draw (the expectation is a little too small), and that layouts are alike in
// degrees.
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
#include <optional>
#include <tuple>
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

// Over the draws whose winner is known as well as the first row.
double optimism_of(const std::vector<Rival>& rivals) {
  std::vector<char> is_known_as_well;
  for (const Rival& rival : rivals)
    is_known_as_well.push_back(settle::is_known_as_well(rival.error, rivals.front().error) ? 1 : 0);
  double sum = 0.0, counted = 0.0;
  for (std::uint64_t number = 0; number < draws; ++number) {
    double best = std::numeric_limits<double>::infinity(), gap = 0.0;
    std::size_t winner = 0;
    for (std::size_t i = 0; i < rivals.size(); ++i) {
      const double error = error_of(rivals[i], number);
      if (rivals[i].cost + error < best) best = rivals[i].cost + error, gap = -error, winner = i;
    }
    if (is_known_as_well[winner] != 0) sum += gap, counted += 1.0;
  }
  return counted > 0.0 ? sum / counted : 0.0;
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

// The rows that compete for the first place of one group. Where a tie was broken, rows with more untried
// choices do not compete.
class Competition {
 public:
  Competition(const Rival& first, std::int32_t most_untried)
      : most_untried_(most_untried),
        most_(first.error.explained.empty() ? most_rivals : most_updated_rivals),
        reach_(first.cost + 6.0 * std::max(first.error.step[results::index_of(ErrorSource::layout)], 1e-9)),
        rivals_{first} {}

  // Whether a row is neither before the first nor too far behind it.
  [[nodiscard]] bool is_near(const results::Contender& one) const {
    const Rival& first = rivals_.front();
    return one.cost[0] <= reach_ && std::tie(first.cost, first.row) < std::tie(one.cost[0], one.row);
  }
  void see(Rival rival) {
    if (rival.untried > most_untried_) return;
    rivals_.push_back(std::move(rival));
    if (rivals_.size() >= 2 * most_) keep_best();
  }
  // The first, then the others, best first.
  [[nodiscard]] const std::vector<Rival>& rivals() {
    keep_best();
    std::sort(rivals_.begin(), rivals_.end(), is_before);
    return rivals_;
  }

 private:
  static bool is_before(const Rival& a, const Rival& b) {
    return std::tie(a.cost, a.row) < std::tie(b.cost, b.row);
  }
  void keep_best() {
    if (rivals_.size() <= most_) return;
    std::nth_element(rivals_.begin(), rivals_.begin() + static_cast<std::ptrdiff_t>(most_), rivals_.end(),
                     is_before);
    rivals_.resize(most_);
    std::iter_swap(rivals_.begin(), std::ranges::min_element(rivals_, is_before));
  }

  std::int32_t most_untried_;
  std::size_t most_;
  double reach_;
  std::vector<Rival> rivals_;  // the first one in front
};

// By group, in the order of `groups`; none where the group has no first row.
std::vector<std::optional<Competition>> competitions_of(Contenders& contenders, bool has_untried,
                                                        std::span<const RankedGroup> groups) {
  const auto rival_of = [has_untried](const results::Contender& one, const auto& other) {
    Rival rival{.row = one.row, .cost = one.cost[0], .error = one.error};
    for (std::size_t c = 0; c < layout_columns; ++c)
      rival.layout = mix(rival.layout ^ static_cast<std::uint64_t>(other(c)));
    rival.step = other(layout_columns), rival.mfu = other(layout_columns + 1);
    if (has_untried)
      rival.untried =
          std::popcount(static_cast<std::uint32_t>(static_cast<std::int32_t>(other(layout_columns + 2))));
    return rival;
  };
  std::vector<std::optional<Competition>> out(groups.size());
  std::map<GroupKey, std::size_t> group_of;  // by value of `per`
  const std::map<std::int64_t, std::size_t> by_first_row = groups_by_first_row(groups);
  contenders.for_each_near(
      by_first_row, [&](const GroupKey& per, const results::Contender& one, const auto& other) {
        const auto found = by_first_row.find(one.row);
        if (found == by_first_row.end()) return;
        group_of[per] = found->second;
        out[found->second].emplace(rival_of(one, other), groups[found->second].most_untried);
      });
  contenders.for_each([&](const GroupKey& per, const results::Contender& one, const auto& other) {
    const auto found = group_of.find(per);
    if (found == group_of.end() || std::isnan(one.cost[0])) return;
    if (Competition& group = *out[found->second]; group.is_near(one)) group.see(rival_of(one, other));
  });
  return out;
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
  auto competitions = competitions_of(contenders, has_untried, groups);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (!competitions[g]) continue;
    const std::vector<Rival>& rivals = competitions[g]->rivals();
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
