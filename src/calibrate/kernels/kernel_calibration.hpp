// Fits the kernel constants of one GPU kind on published tables: the recipe behind
// sweeps/catalog/kernels/*.toml.
#pragma once

#include <span>
#include <string>

#include "calibrate/kernels/kernel_file.hpp"
#include "config/catalog/catalog_files.hpp"
#include "machine/gpu.hpp"

namespace echo::calibrate {

// `folder` holds the kernel tables. Deterministic.
[[nodiscard]] KernelCalibration calibrate_kernels(const std::string& folder,
                                                  const config::CatalogInputs& presets,
                                                  const machine::GpuSpec& gpu);

// The command: fits one GPU kind, prints the constants and the held-out errors, writes the file where asked.
// args: --gpu NAME [--data FOLDER] [--out FILE]; data from ECHO_DATA_DIR. Returns the exit code.
[[nodiscard]] int run_kernels(std::span<char*> args);

}  // namespace echo::calibrate
