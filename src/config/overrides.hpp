// --set key=value: changes of a sweep from the command line.
#pragma once

#include <string>
#include <vector>

#include "config/toml_reader.hpp"

namespace echo::config {

// Puts each "space.tp=[1,2]" into `root`, replacing what stands there; a value that is not TOML is a string.
// An entry of a list goes by its name, or by its metric where it has none: "limit.memory.max=0.9 *
// gpu.memory", "objective.mfu.goal=max", "keep.even-stages.expr=true", "space.group.small.tp=4". One that is
// not there is added. Its place in messages is "--set space.tp=[1,2]".
void apply_overrides(const std::vector<std::string>& sets, toml::table& root, Problems& problems);

}  // namespace echo::config
