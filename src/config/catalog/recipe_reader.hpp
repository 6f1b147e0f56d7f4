// The training recipe of a framework, as its file writes it: one key for each axis of the recipe.
#pragma once

#include "config/toml/toml_reader.hpp"
#include "training/recipe.hpp"

namespace echo::config {

// Sets every member the table names; those every framework must decide are reported where missing.
void read_recipe(TableReader& file, training::Recipe& recipe);

}  // namespace echo::config
