// The recipe: groups of constants that one table identifies are fitted one after another, each based on the
// previous ones; one file per group.
#include "calibrate/kernels/kernel_calibration.hpp"

#include "calibrate/kernels/kernel_recipe.hpp"

namespace echo::calibrate {

KernelCalibration calibrate_kernels(const std::string& folder, const config::CatalogInputs& presets,
                                    const machine::GpuSpec& gpu) {
  Recipe recipe(folder, presets, gpu);
  fit_layer_ops(recipe);
  fit_gemm(recipe);
  fit_attention(recipe);
  fit_expert_ffn(recipe);
  fit_layer_library(recipe);
  fit_sustained(recipe);
  return recipe.out;
}

}  // namespace echo::calibrate
