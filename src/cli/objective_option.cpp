#include "cli/objective_option.hpp"

#include <vector>

#include "base/error.hpp"
#include "config/toml/did_you_mean.hpp"
#include "results/rank/objectives.hpp"
#include "sweep/language/metric.hpp"

namespace echo::cli {

sweep::Objective objective_named(const std::string& metric) {
  if (sweep::find_metric(metric) != nullptr) return {metric, results::usual_goal(metric)};
  const std::vector<std::string> known(sweep::metric_names.begin(), sweep::metric_names.end());
  throw UserError("there is no metric \"" + metric + "\"", config::suggest(metric, known, "metrics"));
}

}  // namespace echo::cli
