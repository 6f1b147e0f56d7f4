// --by: the metric that a user ranks by.
#pragma once

#include <string>

#include "sweep/spec.hpp"

namespace echo::cli {

// The metric with its usual goal. UserError, 2, where there is none of this name.
[[nodiscard]] sweep::Objective objective_named(const std::string& metric);

}  // namespace echo::cli
