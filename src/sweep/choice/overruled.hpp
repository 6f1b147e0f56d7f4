// What a config has otherwise than its recipe says.
#pragma once

#include <vector>

#include "simulate/catalog.hpp"
#include "training/axis.hpp"
#include "training/config.hpp"

namespace echo::sweep {

// The axes to which a sweep itself gave another value than the config's framework, with the recipe laid over
// it, would have; none without a recipe. Axes that do not matter to the config are left out.
[[nodiscard]] std::vector<training::Axis> overruled_axes(const training::TrainingConfig&,
                                                         const simulate::Catalog&);

}  // namespace echo::sweep
