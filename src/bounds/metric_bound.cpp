#include "bounds/metric_bound.hpp"

#include <algorithm>
#include <array>

#include "simulate/report/rates.hpp"

namespace echo::bounds {

Basis basis_of(const sweep::Objective& objective, const campaign::Terms& terms) {
  const sweep::Metric* const metric = sweep::find_metric(objective.metric);
  if (metric == nullptr) return Basis::none;
  if (metric->name == "gpus") return Basis::config;
  if ((objective.goal == sweep::Goal::min) != metric->small_is_good) return Basis::none;
  if (metric->name == "mem_peak") return Basis::memory;
  constexpr std::array<std::string_view, 4> of_step{"step_time", "tokens_per_s", "tokens_per_s_per_gpu",
                                                    "mfu"};
  if (std::ranges::find(of_step, metric->name) != of_step.end()) return Basis::step;
  constexpr std::array<std::string_view, 4> of_training{"train_time", "gpu_hours", "cost", "tokens_per_cost"};
  if (std::ranges::find(of_training, metric->name) == of_training.end()) return Basis::none;
  const bool is_priced = metric->name == "cost" || metric->name == "tokens_per_cost";
  if (terms.reliability.is_given() || (is_priced && terms.economics.electricity_per_kwh >= 0.0))
    return Basis::none;
  return Basis::step;
}

double best_value(const sweep::Metric& metric, const training::TrainingConfig& member, SimTime least_step,
                  const simulate::Catalog& catalog, const campaign::Terms& terms) {
  simulate::StepReport report;
  report.status = training::Status::ok;
  report.step = std::max(least_step, SimTime(1));
  simulate::report_rates(member, catalog, report);
  return metric.value({member, report, catalog, terms});
}

}  // namespace echo::bounds
