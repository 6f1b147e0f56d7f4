// Fits the kernel constants of one GPU kind on published tables: the recipe behind
// sweeps/catalog/kernels/*.toml.
#pragma once

#include <span>
#include <string>

#include "calibrate/kernel_file.hpp"
#include "machine/gpu.hpp"

namespace echo::calibrate {

// `folder` holds the kernel tables. `attention_gpu` is the GPU of the attention table, which for a kind
// without one of its own is a sibling's. Deterministic; under two minutes.
[[nodiscard]] KernelCalibration calibrate_kernels(const std::string& folder, const machine::GpuSpec& gpu,
                                                  const machine::GpuSpec& attention_gpu);

// The GPU whose attention table stands for `gpu`.
[[nodiscard]] std::string attention_table_gpu(const std::string& gpu);

// The command: fits one GPU kind, prints the constants and the held-out errors, writes the file where asked.
// args: --gpu NAME [--data FOLDER] [--out FILE]; data from ECHO_DATA_DIR. Returns the exit code.
[[nodiscard]] int run_kernels(std::span<char*> args);

}  // namespace echo::calibrate
