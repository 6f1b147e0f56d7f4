// The command that fits the error model, reports the coverage of its bands, and writes the catalog's file.
#pragma once

#include <span>

namespace echo::calibrate {

// `echo-calibrate errors [--table FILE] [--out FILE] [--runs FILE] [--check]`: prints the standard deviations
// that fit the errors of `held-out` and of `held-out --stock`, then for each publication how many of its runs
// the bands of a fit to the others hold, as it describes them and without what it says; --runs writes these
// bands, run by run. Returns the exit code: 1 where, asked to check, the latter are not 75 to 85 % of all
// runs.
[[nodiscard]] int run_errors(std::span<char*> args);

}  // namespace echo::calibrate
