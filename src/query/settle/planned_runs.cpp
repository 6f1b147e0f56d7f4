#include "query/settle/planned_runs.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "query/rank/contenders.hpp"
#include "query/rank/ties.hpp"
#include "settle/run_noise.hpp"

namespace echo::query {

namespace {

using results::Contender;

constexpr double least_chance = 1e-4;     // that a rival is truly better than the first
constexpr std::size_t most_leaders = 24;  // rivals by which runs are looked over

struct RankedRow {
  Contender contender;
  double gpus = 0.0, step_time = 0.0;
};

// The largest values offered; of equal ones the earliest rows.
class Largest {
 public:
  explicit Largest(std::size_t most) : most_(most) {}
  void offer(double value, const RankedRow& row) {
    kept_.emplace(std::pair(-value, row.contender.row), row);
    if (kept_.size() > most_) kept_.erase(std::prev(kept_.end()));
  }
  [[nodiscard]] std::vector<RankedRow> rows() const {  // largest first
    std::vector<RankedRow> out;
    for (const auto& [place, row] : kept_) out.push_back(row);
    return out;
  }

 private:
  std::size_t most_;
  std::map<std::pair<double, std::int64_t>, RankedRow> kept_;
};

class PlannedChoice {
 public:
  PlannedChoice(const results::ResultRows& rows, const RunsQuery& asked)
      : rows_(rows), asked_(asked), steps_(settle::steps_for(asked.precision)) {}

  RunPlan plan() {
    find_rivals();
    find_runnable();
    RunPlan plan{.ranked = ranked_,
                 .rivals = rivals_,
                 .runnable = runnable_,
                 .chosen = first_->contender.row,
                 .steps = steps_};
    const auto runs = settle::next_runs(choices_, static_cast<std::size_t>(asked_.runs));
    const auto outlooks = settle::outlooks(choices_, runs);
    plan.before = outlooks.front();
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const RankedRow& row = all_[runs[i]];
      plan.runs.push_back({row.contender.row, std::llround(row.gpus), row.step_time, price_of(row) / 3600.0,
                           outlooks[i + 1]});
    }
    return plan;
  }

 private:
  [[nodiscard]] RankQuery ranking(const std::string& where) const {
    return {.by = asked_.by, .per = "", .where = where};
  }
  template <class See>
  void for_each(const std::string& where, See see) const {
    const RankQuery query = ranking(where);
    Contenders contenders(rows_, query, {"gpus", "step_time"});
    contenders.for_each([&](const GroupKey&, const Contender& one, const auto& other) {
      if (!std::isnan(one.cost[0])) see(RankedRow{one, other(0), other(1)});
    });
  }
  [[nodiscard]] double price_of(const RankedRow& row) const {
    return row.gpus * row.step_time * static_cast<double>(settle::warm_up_steps + steps_);
  }

  void find_rivals() {
    for_each(asked_.where, [&](const RankedRow& row) {
      ++ranked_;
      if (!first_ || row.contender.cost[0] < first_->contender.cost[0]) first_ = row;
    });
    if (!first_)
      throw UserError("no feasible row to choose among", "echo-sweep top FILE --infeasible says why", 3);
    const results::Aspect aspect = results::aspect_of(rows_, asked_.by);
    Largest likeliest(most_rivals);
    for_each(asked_.where, [&](const RankedRow& row) {
      const double chance = 1.0 - chance_of_first(aspect, first_->contender, row.contender);
      if (row.contender.row == first_->contender.row || chance >= least_chance) likeliest.offer(chance, row);
    });
    for (const RankedRow& row : likeliest.rows()) {
      if (leaders_.size() < most_leaders) leaders_.push_back(row);
      add(row, true);
    }
    rivals_ = std::ssize(all_);
  }

  void find_runnable() {
    Largest telling(most_runnable), cheap(most_runnable);
    for_each("", [&](const RankedRow& row) {
      if (row.gpus > static_cast<double>(asked_.max_gpus)) return;
      ++runnable_;
      const double worth = worth_of(row);
      telling.offer(worth, row), cheap.offer(worth / price_of(row), row);
    });
    for (const Largest* some : {&telling, &cheap})
      for (const RankedRow& row : some->rows()) add(row, false);
  }

  // What a run alone would take off the regret of choosing between the first row and the leader for which
  // that is most: E max(0, N(-gap, s^2)), s the standard deviation of what it shows of their difference.
  [[nodiscard]] double worth_of(const RankedRow& run) const {
    const auto covariance = [&](const Contender& one) {
      return settle::step_covariance(
          one.error, run.contender.error,
          one.row == run.contender.row ? settle::Rows::same : settle::Rows::different);
    };
    const double measured = settle::step_variance(run.contender.error) + settle::noise_variance(steps_);
    const double of_first = covariance(first_->contender);
    double worth = 0.0;
    for (const RankedRow& leader : leaders_) {
      const double s = std::abs(covariance(leader.contender) - of_first) / std::sqrt(measured);
      if (s <= 0.0) continue;
      const double z = (leader.contender.cost[0] - first_->contender.cost[0]) / s;
      const double density = std::exp(-0.5 * z * z) / std::sqrt(2.0 * std::numbers::pi);
      worth = std::max(worth, s * (density - z * results::normal_cdf(-z)));
    }
    return worth;
  }

  void add(const RankedRow& row, bool competes) {
    const auto [place, is_new] = place_.try_emplace(row.contender.row, all_.size());
    if (!is_new) return;
    all_.push_back(row);
    choices_.push_back({.cost = row.contender.cost[0],
                        .error = row.contender.error,
                        .price = price_of(row),
                        .noise = settle::noise_variance(steps_),
                        .competes = competes,
                        .can_run = row.gpus <= static_cast<double>(asked_.max_gpus)});
  }

  const results::ResultRows& rows_;
  const RunsQuery& asked_;
  std::int64_t steps_, ranked_ = 0, rivals_ = 0, runnable_ = 0;
  std::optional<RankedRow> first_;
  std::vector<RankedRow> leaders_, all_;  // all_: of choices_
  std::vector<settle::Choice> choices_;
  std::map<std::int64_t, std::size_t> place_;  // in all_, by row
};

}  // namespace

RunPlan planned_runs(const results::ResultRows& rows, const RunsQuery& asked) {
  const results::Aspect aspect = results::aspect_of(rows, asked.by);
  if (aspect.slope == 0.0 || aspect.law == sweep::ErrorLaw::memory)
    throw UserError("measured steps say nothing of a ranking by " + asked.by.metric,
                    "rank by step_time, a rate or the cost of the training (--by), in a file that has error "
                    "bands (schema 1.6 or later)",
                    2);
  return PlannedChoice(rows, asked).plan();
}

}  // namespace echo::query
