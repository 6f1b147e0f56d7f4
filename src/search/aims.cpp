#include "search/aims.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/contract.hpp"
#include "results/columns.hpp"

namespace echo::search {

using bounds::Basis;

std::vector<sweep::Objective> objectives_of(const sweep::SweepSpec& spec) {
  if (spec.objectives.empty()) return {{"tokens_per_s_per_gpu", sweep::Goal::max}};
  const std::size_t count = std::min<std::size_t>(2, spec.objectives.size());
  return {spec.objectives.begin(), spec.objectives.begin() + static_cast<std::ptrdiff_t>(count)};
}

Aims::Aims(const sweep::SweepSpec& spec) : terms_(spec.terms) {
  const auto columns = results::column_table();
  for (const sweep::Objective& objective : objectives_of(spec)) {
    const sweep::Metric* const metric = sweep::find_metric(objective.metric);
    ECHO_EXPECT(metric != nullptr);
    const auto column = std::ranges::find_if(
        columns, [&](const results::Column& one) { return std::string_view(one.path) == metric->name; });
    aims_.push_back({.objective = objective,
                     .metric = metric,
                     .basis = bounds::basis_of(objective, spec.terms),
                     .sign = objective.goal == sweep::Goal::min ? 1.0 : -1.0,
                     .is_single = column != columns.end() && column->type == storage::ElementType::f4});
  }
}

bool Aims::needs_memory() const {
  return std::ranges::any_of(aims_, [](const Aim& aim) { return aim.basis == Basis::memory; });
}

double Aims::cost_of(const Aim& aim, double value) {
  if (std::isnan(value)) return std::numeric_limits<double>::infinity();
  return aim.sign * (aim.is_single ? static_cast<double>(static_cast<float>(value)) : value);
}

Costs Aims::costs_of(const campaign::PlannedTraining& in) const {
  Costs costs{};
  for (std::size_t i = 0; i < aims_.size(); ++i) costs[i] = cost_of(aims_[i], aims_[i].metric->value(in));
  return costs;
}

Costs Aims::least_costs(const training::TrainingConfig& member, const simulate::Catalog& catalog,
                        const SimTime* step, const Bytes* memory) const {
  Costs costs{};
  for (std::size_t i = 0; i < aims_.size(); ++i) {
    const Aim& aim = aims_[i];
    costs[i] = no_bound;
    if (aim.basis == Basis::memory && memory != nullptr)
      costs[i] = cost_of(aim, static_cast<double>(memory->value));
    if ((aim.basis == Basis::step && step != nullptr) || aim.basis == Basis::config)
      costs[i] = cost_of(aim, bounds::best_value(*aim.metric, member, step != nullptr ? *step : SimTime(1),
                                                 catalog, terms_));
  }
  return costs;
}

}  // namespace echo::search
