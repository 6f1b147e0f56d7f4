// Reads the options of a training recipe from framework files and sweeps.
#pragma once

#include "config/toml/toml_reader.hpp"
#include "training/recipe.hpp"

namespace echo::config {

// Sets every choice the table names; those every framework must decide are reported where missing.
void read_recipe(TableReader& file, training::Recipe& recipe);

}  // namespace echo::config
