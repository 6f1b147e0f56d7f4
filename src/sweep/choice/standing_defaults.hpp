// Defaults of a framework that stand in the way of what a sweep chooses.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/refusal.hpp"
#include "sweep/space/design_space.hpp"

namespace echo::sweep {

// With `chosen` = `value` every point that was looked at breaks the rule, and none would if `standing`, an
// axis that the sweep leaves to the framework, were `instead` of `left`.
struct StandingDefault {
  Refusal rule;
  std::string chosen, value, standing, left, instead;
};

// Looks at up to `most` points, evenly spaced. Sorted by rule and value; deterministic.
[[nodiscard]] std::vector<StandingDefault> standing_defaults(const DesignSpace&, const SweepSpec&,
                                                             const simulate::Catalog&, std::int64_t most);

}  // namespace echo::sweep
