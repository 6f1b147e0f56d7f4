// Error of one GPU kind's constants on another's kernels: the error to expect for an unmeasured GPU.
#pragma once

#include <span>

namespace echo::calibrate {

// `echo-calibrate transfer [--data FOLDER]`: for each pair of measured GPUs of one generation, and for each
// of two generations, prices the kernel tables of one with the constants of the other and its own data sheet,
// and prints the errors by library and mechanism. Returns the exit code.
[[nodiscard]] int run_transfer(std::span<char*> args);

}  // namespace echo::calibrate
