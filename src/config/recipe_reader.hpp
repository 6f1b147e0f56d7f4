// The choices of a training recipe, as framework files and sweeps write them.
#pragma once

#include <optional>
#include <string>

#include "config/toml_reader.hpp"
#include "training/recipe.hpp"

namespace echo::config {

// Sets every choice the table names; those every framework must decide are reported where missing.
void read_recipe(TableReader& file, training::Recipe& recipe);

// Words joined by "+" ("core_attn+mlp", or "none") as bits; nothing where one of them is unknown.
[[nodiscard]] std::optional<std::int32_t> bits_of(const training::Choice&, std::string_view text);

}  // namespace echo::config
