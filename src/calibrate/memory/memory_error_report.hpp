// The command `memory-errors` of echo-calibrate.
#pragma once

#include <span>

namespace echo::calibrate {

// Prints the fitted scales and what publications left out in turn say of them. --check: 1 where the one-sided
// bound of 90 % holds fewer than 85 % of a publication's runs in the mean.
int run_memory_errors(std::span<char*> args);

}  // namespace echo::calibrate
