// Reads the keys of sweep_keys.hpp's settings(): the head of the file, [target], [search], [simulate], [run]
// and [output].
#pragma once

#include "config/toml/toml_reader.hpp"
#include "sweep/spec.hpp"

namespace echo::config {

// `root` is the reader of the whole file. `spec.name` stands already as the file has it by default.
void read_settings(TableReader& root, sweep::SweepSpec& spec);

// Names of other sections of the full design, each refused with what to do instead.
void refuse_later_sections(const toml::table& table, TableReader& root);

}  // namespace echo::config
