// Asks for the groups of a traced job that grow with dp, where the trace does not say which they are.
#pragma once

#include "config/sweep_file/sweep_file.hpp"
#include "config/toml/toml_reader.hpp"

namespace echo::config {

// After [space] was read: where it asks for another size of a job whose trace names no groups that grow, but
// groups that may be such, they are asked for by name.
void check_growth(const toml::table& root, const SweepInputs& inputs, Problems&);

}  // namespace echo::config
