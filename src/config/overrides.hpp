// --set key=value: changes of a sweep from the command line.
#pragma once

#include <string>
#include <vector>

#include "config/toml_reader.hpp"

namespace echo::config {

// Puts each "space.tp=[1,2]" into `root`, replacing what stands there. Its place in messages is "--set
// space.tp=[1,2]".
void apply_overrides(const std::vector<std::string>& sets, toml::table& root, Problems& problems);

}  // namespace echo::config
