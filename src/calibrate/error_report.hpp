// The command that fits the error model, says how well its bands hold, and writes the catalog's file.
#pragma once

#include <span>

namespace echo::calibrate {

// `echo-calibrate errors [--table FILE] [--predicted FILE] [--out FILE]`: prints the standard deviations,
// then for each publication how many of its runs the bands of a fit to the others hold. Returns the exit
// code.
[[nodiscard]] int run_errors(std::span<char*> args);

}  // namespace echo::calibrate
