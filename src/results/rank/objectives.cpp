#include "results/rank/objectives.hpp"

#include <algorithm>

#include "sweep/language/metric.hpp"

namespace echo::results {

std::vector<sweep::Objective> two_objectives(const std::vector<sweep::Objective>& of_sweep) {
  std::vector<sweep::Objective> both(of_sweep.begin(),
                                     of_sweep.begin() + std::min<std::ptrdiff_t>(2, std::ssize(of_sweep)));
  for (const char* metric : {"step_time", "gpus"}) {
    if (both.size() < 2 && std::ranges::find(both, metric, &sweep::Objective::metric) == both.end())
      both.push_back({metric, sweep::Goal::min});
  }
  return both;
}

sweep::Goal usual_goal(std::string_view metric) {
  const sweep::Metric* known = sweep::find_metric(metric);
  return known == nullptr || known->small_is_good ? sweep::Goal::min : sweep::Goal::max;
}

}  // namespace echo::results
