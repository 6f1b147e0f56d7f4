// Reads [reliability] of a sweep.
#pragma once

#include <vector>

#include "campaign/reliability.hpp"
#include "config/catalog/reliability_file.hpp"
#include "config/toml/toml_reader.hpp"

namespace echo::config {

// Where the section is there: its values, filled up from the preset that it names, complete for every job or
// with a problem. `root` is the reader of the whole file.
void read_reliability_section(TableReader& root, const std::vector<ReliabilityFile>& presets,
                              campaign::Reliability& out);

}  // namespace echo::config
