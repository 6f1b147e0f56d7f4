// Reads the keys of sweep_keys.hpp's settings(): the head of the file, [target], [search], [simulate], [run]
// and [output].
#pragma once

#include "config/toml/toml_reader.hpp"
#include "sweep/spec.hpp"

namespace echo::config {

// `root` is the reader of the whole file. `spec.name` already has its default, the name of the file.
void read_settings(TableReader& root, sweep::SweepSpec& spec);

}  // namespace echo::config
