// The training recipe of a framework (training::Recipe), as files write it: one key for each axis of it.
#pragma once

#include <cstdint>
#include <vector>

#include "config/toml/toml_reader.hpp"
#include "training/axis.hpp"
#include "training/recipe.hpp"

namespace echo::config {

// Sets every member the table names; with `require`, those every framework must decide are reported where
// missing.
void read_recipe(TableReader& file, training::Recipe& recipe, Presence must);

// The value of an axis as training::AxisMember::set takes it.
struct Choice {
  training::Axis axis;
  std::int32_t value;
};
// The axes that the table names, except presets, schedules and numbers of GPUs or samples.
[[nodiscard]] std::vector<Choice> read_choices(TableReader& file);

}  // namespace echo::config
