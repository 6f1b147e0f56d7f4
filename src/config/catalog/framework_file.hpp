// Reads framework files, and recipe files that are laid over them.
#pragma once

#include <toml++/toml.h>

#include <string>
#include <utility>
#include <vector>

#include "config/toml/toml_reader.hpp"
#include "training/framework.hpp"
#include "training/recipe_preset.hpp"

namespace echo::config {

[[nodiscard]] training::FrameworkSpec read_framework(TableReader& file);

// A recipe waits with its choices until every framework is read.
struct RecipeFile {
  training::RecipePreset spec;
  std::vector<std::pair<std::string, Place>> frameworks;       // that it is for, with those based on them
  toml::table choices;                                         // framework keys, for all of them
  toml::table over;                                            // the same for one framework each, by its name
  std::vector<std::pair<std::string, Place>> over_frameworks;  // those names
};

// name, source, grade, frameworks = ["megatron-core", ...], [choices] and [over.FRAMEWORK]. A choice is a key
// of framework files, except the host's and the allocator's constants, and states its own source:
// overlap_tp = { value = true, source = "...", grade = "vendor" }.
[[nodiscard]] RecipeFile read_recipe_file(TableReader& file);

// The recipe over each framework that it is for: [choices], then [over.FRAMEWORK] of the framework's base,
// then its own. An unknown framework is a problem.
[[nodiscard]] training::RecipePreset lay_over(const RecipeFile&,
                                              const std::vector<training::FrameworkSpec>& frameworks,
                                              Problems&);

}  // namespace echo::config
