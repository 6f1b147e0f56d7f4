// The recipe's state: the constants of one GPU kind, fitted group by group, each based on the previous ones.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "calibrate/kernels/kernel_file.hpp"
#include "calibrate/kernels/kernel_fit.hpp"
#include "calibrate/kernels/kernel_tables.hpp"
#include "config/catalog/catalog_files.hpp"
#include "machine/gpu.hpp"

namespace echo::calibrate {

using Rows = std::vector<KernelMeasurement>;
using Scored = std::function<bool(const KernelMeasurement&)>;

// Rows that weigh 1 or more.
[[nodiscard]] bool weighs_fully(const KernelMeasurement&);

struct Recipe {
  std::string folder;  // of the kernel tables
  const config::CatalogInputs& presets;
  machine::GpuSpec gpu;
  KernelSources sources;
  KernelCalibration out;
  LibraryCalibration* now = &out.training;  // what is being fitted

  Recipe(std::string tables, const config::CatalogInputs& catalog, const machine::GpuSpec& kind);
  Recipe(const Recipe&) = delete;

  [[nodiscard]] std::string table(const std::string& name) const { return folder + "/" + name; }
  [[nodiscard]] kernels::KernelConstants& constants() { return now->constants; }
  [[nodiscard]] double price(const KernelMeasurement& row, const kernels::KernelConstants& c) const;

  // From here on, fits fill the constants of this library, which start as training's are.
  void turn_to(ops::KernelLibrary library);

  void set(double kernels::KernelConstants::*member, double value, double error, std::string source);
  // Fits, keeps the first `kept` of the free constants (and the knots, where the problem has some), and files
  // the held-out errors under `family`. Returns all that was fitted.
  kernels::KernelConstants fit(const std::string& family, const FitProblem& problem, std::size_t kept,
                               const std::string& source, const Scored& scored = weighs_fully);
};

// The parts, each in its own file, in the order they are called.
void fit_layer_ops(Recipe&);  // for training
void fit_gemm(Recipe&);
void fit_attention(Recipe&);
void fit_expert_ffn(Recipe&);
void fit_layer_library(Recipe&);  // layer ops as they were timed
void fit_sustained(Recipe&);

}  // namespace echo::calibrate
