// What a config has otherwise than its recipe says.
#pragma once

#include <vector>

#include "training/axis.hpp"
#include "training/config.hpp"

namespace echo::training {

// The axes that frameworks decide and this config has otherwise than `framework`, with the recipe laid over
// it, would: those that a sweep named itself. Sequence parallelism and what needs it are not asked of one
// tensor rank, overlaps not where nothing travels.
[[nodiscard]] std::vector<Axis> set_otherwise(const TrainingConfig&, const FrameworkSpec& framework);

// The number of them where the config has a recipe, else 0.
[[nodiscard]] std::int64_t overruled_axes(const TrainingConfig&, const FrameworkSpec& framework);

}  // namespace echo::training
