// Reads [space] and its [[space.group]]s: every axis and its values, in the order of the file.
#pragma once

#include "config/catalog/catalog_files.hpp"
#include "config/toml/toml_reader.hpp"
#include "sweep/spec.hpp"

namespace echo::config {

// Fills the dimensions of `spec`, or its groups where there are any. `catalog` grows by the layer tables and
// NCCL settings that values name.
void read_space(const toml::table& space, const Place& place, const Aliases& aliases,
                simulate::Catalog& catalog, sweep::SweepSpec& spec, Problems& problems);

}  // namespace echo::config
