#include "learn/candidates/candidates.hpp"

#include "learn/candidates/baselines.hpp"
#include "learn/candidates/learned_candidates.hpp"
#include "learn/candidates/white_box.hpp"
#include "learn/fit/booster.hpp"

namespace echo::learn {

std::vector<Candidate> candidates_of(const Examples& examples) {
  const bool of_metrics = examples.features == slowdown::FeatureSet::metrics;
  const bool with_trees = is_built_with_xgboost();
  std::vector<Candidate> table{no_slowdown(), median_by_kernel_name()};
  if (of_metrics && with_trees) table.push_back(echo_settings());
  table.push_back(of_metrics ? white_box_of_metrics() : white_box_of_prices());
  if (of_metrics) table.push_back(families());
  for (const Function function : {Function::trees, Function::network}) {
    if (function == Function::trees && !with_trees) continue;
    table.push_back(learned(function, Foundation::nothing));
    table.push_back(learned(function, of_metrics ? Foundation::white_box_of_metrics : Foundation::white_box));
    if (of_metrics) table.push_back(learned(function, Foundation::families));
  }
  return table;
}

}  // namespace echo::learn
