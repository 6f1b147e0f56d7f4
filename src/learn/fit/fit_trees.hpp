// Boosted trees, trained by xgboost and converted to our representation.
#pragma once

#include "learn/fit/fit.hpp"
#include "learn/fit/forest_of_json.hpp"

namespace echo::learn {

// Preconditions and errors as fit(). The forest predicts target / base.
[[nodiscard]] ReadForest fit_trees(const Samples&, const TreeSettings&,
                                   const std::vector<std::int32_t>& monotone, std::uint64_t seed);

}  // namespace echo::learn
