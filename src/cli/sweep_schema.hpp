// The JSON Schema (draft 2020-12) of sweep.toml, for editors, generated from the tables that the reader uses.
#pragma once

#include <string>

#include "simulate/catalog.hpp"

namespace echo::cli {

// `catalog`: editors offer its presets; other names, which an included file may define, are also valid.
[[nodiscard]] std::string sweep_schema(const simulate::Catalog& catalog);

}  // namespace echo::cli
