// Ablation of each constant and setting of a framework: the errors on its published steps without it.
#pragma once

#include <span>

namespace echo::calibrate {

// `echo-calibrate ablation [--table FILE]`: for each framework with rows in a table of steps, prints the
// error as shipped and then with one thing taken away at a time: a constant set to nothing, a habit to that
// of a plain Megatron recipe (Recipe's defaults), an overlap switched off.
int run_ablation(std::span<char*> args);

}  // namespace echo::calibrate
