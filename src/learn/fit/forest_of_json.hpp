// Converts xgboost's trees from its JSON output (format: doc/model.schema of dmlc/xgboost 1.7).
#pragma once

#include <string_view>
#include <vector>

#include "slowdown/regressor.hpp"

namespace echo::learn {

struct ReadForest {
  slowdown::Forest forest;
  std::vector<double> gain;  // [features] loss reduction by the splits on each, summed over all trees
};

// Input: a model of one output with numeric splits. UserError, 2: any other bytes.
[[nodiscard]] ReadForest forest_of_json(std::string_view json);

}  // namespace echo::learn
