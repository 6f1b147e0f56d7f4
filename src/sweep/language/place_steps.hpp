// Finds the earliest point at which each step of a program can run.
#pragma once

#include <vector>

#include "sweep/language/program.hpp"

namespace echo::sweep {

// Moves every step to the first level at which all it reads is known, in an order in which readers come after
// writers; gives back the steps that read what never gets a value. Contract: `program.steps` is empty.
[[nodiscard]] std::vector<Step> place_steps(Program& program, std::vector<Step> pending);

}  // namespace echo::sweep
