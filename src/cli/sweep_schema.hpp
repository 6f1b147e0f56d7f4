// The JSON Schema (draft 2020-12) of sweep.toml, for editors: made from the tables the reader goes by.
#pragma once

#include <string>

#include "simulate/catalog.hpp"

namespace echo::cli {

// `catalog`: whose presets editors offer; others, which an included file may define, pass all the same.
[[nodiscard]] std::string sweep_schema(const simulate::Catalog& catalog);

}  // namespace echo::cli
