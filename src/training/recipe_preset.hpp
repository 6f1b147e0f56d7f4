// A named recipe: what a vendor's performance recipe, a benchmark submission or a paper switches on beyond
// the defaults of a training framework. Loaded from sweeps/catalog/recipes/*.toml, each value with its
// source.
#pragma once

#include <string>
#include <vector>

#include "base/id.hpp"
#include "training/framework.hpp"

namespace echo::training {

using RecipeId = Id<struct RecipeTag>;  // none: the framework as it comes

struct RecipePreset {
  std::string name;
  // [framework] The framework with the recipe's values in place of its own; without a name where the recipe
  // is not for it.
  std::vector<FrameworkSpec> over;
  std::string source;
  friend bool operator==(const RecipePreset&, const RecipePreset&) = default;
};

// The word for no recipe, in sweeps and results.
inline constexpr const char* no_recipe = "none";

}  // namespace echo::training
