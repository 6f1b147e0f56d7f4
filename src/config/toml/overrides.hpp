// Applies --set key=value, changes of a sweep from the command line.
#pragma once

#include <string>
#include <vector>

#include "config/toml/toml_reader.hpp"

namespace echo::config {

// Puts each "space.tp=[1,2]" into `root`, replacing the present value; a value that is not TOML is a string.
// An entry of a list is addressed by its name, or by its metric if it has no name: "limit.memory.max=0.9 *
// gpu.memory", "objective.mfu.goal=max", "space.group.small.tp=4". It is looked for in `root`, then in the
// last of `included` that has it; one that is nowhere is added to `root`. "gpu.", "cluster.", "gpus.NAME."
// and "clusters.NAME." lead into [what_if]. Its place in messages is "--set space.tp=[1,2]".
void apply_overrides(const std::vector<std::string>& sets, toml::table& root,
                     const std::vector<toml::table*>& included, Problems& problems);

}  // namespace echo::config
