// Sources: Transformer Engine transformer_engine/common/recipe/__init__.py and pytorch/csrc/quantizer.cpp
// (which copies and scales a recipe keeps, nvte_is_non_tn_fp8_gemm_supported); DeepSeek-V3
// (arXiv:2412.19437, 3.3.2): activations in tiles of 1 x 128, weights in blocks of 128 x 128; OCP MX: 32
// elements and one byte; NVFP4: 16 elements and one byte, and an fp32 scale of the tensor, whose largest
// magnitude is taken after a Hadamard transform. torchao keeps the 16-bit tensor for backward
// (torchao/float8/float8_linear.py). 8-bit moments: blocks of 256 with an fp32 scale (Dettmers et al. 2022;
// pytorch/ao torchao/optim).
#include "training/memory/number_formats.hpp"

#include <cmath>

#include "base/contract.hpp"

namespace echo::training {

NarrowFormat narrow_format(const TrainingConfig& c, std::int32_t compute_capability) {
  ECHO_EXPECT(machine::is_narrow(c.precision));
  const double bytes = machine::operand_bytes(c.precision);
  if (c.precision == Precision::mxfp8) return {.bytes = bytes + 1.0 / 32, .block = 32, .copies = 2};
  if (c.precision == Precision::nvfp4)
    return {.bytes = bytes + 1.0 / 16, .block = 16, .copies = 2, .scale_is_global = true};
  if (c.recipe.fp8_recipe == Fp8Recipe::blockwise)
    return {.bytes = bytes + 4.0 / 128, .block = 128, .copies = 2};
  if (c.recipe.fp8_recipe == Fp8Recipe::rowwise) return {.bytes = bytes, .copies = 2, .by_row = true};
  const bool delayed = c.recipe.fp8_recipe == Fp8Recipe::delayed;
  return {.bytes = bytes,
          .copies = compute_capability < 100 ? 2 : 1,
          .scale_is_known = delayed,
          .scale_is_global = !delayed};
}

// Scales computed by PyTorch operators (torchao), not by Transformer Engine's kernels.
static bool casts_in_framework_ops(const TrainingConfig& c) {
  if (c.precision != Precision::fp8) return false;
  return c.recipe.fp8_recipe == Fp8Recipe::rowwise ||
         (c.recipe.fp8_recipe == Fp8Recipe::current && c.recipe.kernels != ops::KernelStyle::fused);
}

double saved_operand_bytes(const TrainingConfig& c, std::int32_t compute_capability) {
  if (!machine::is_narrow(c.precision)) return machine::element_bytes(c.precision);
  return casts_in_framework_ops(c) ? 2.0 : narrow_format(c, compute_capability).bytes;
}

double cached_weight_bytes(const TrainingConfig& c, std::int32_t compute_capability) {
  if (!machine::is_narrow(c.precision) || c.zero == ZeroStage::parameters || casts_in_framework_ops(c))
    return 0.0;
  const NarrowFormat format = narrow_format(c, compute_capability);
  return format.bytes * format.copies;
}

double moment_bytes(Optimizer optimizer) {
  switch (optimizer) {
    case Optimizer::adam:
      return 8.0;
    case Optimizer::adam_bf16:
      return 4.0;
    case Optimizer::adam_8bit:
      return 2.0 * (1.0 + 4.0 / 256);
    case Optimizer::sgd:
      return 4.0;
    case Optimizer::none:
      return 0.0;
  }
  return 0.0;
}

double master_bytes(const TrainingConfig& c) {
  if (c.recipe.optimizer == Optimizer::none) return 0.0;
  return machine::element_bytes(c.precision) == 4 ? 0.0 : 4.0;
}

std::int32_t update_bytes(const TrainingConfig& c) {
  constexpr double gradient = 4.0;  // in fp32 when the update comes
  const double weights =
      2 * 4.0 + (master_bytes(c) > 0.0 ? 2.0 : 0.0);  // fp32 read and written, 16-bit written
  const double clipping = c.recipe.grad_clip ? 2 * gradient : 0.0;
  const double unscaling = c.precision == Precision::fp16 ? 2 * gradient : 0.0;
  return static_cast<std::int32_t>(
      std::lround(gradient + 2 * moment_bytes(c.recipe.optimizer) + weights + clipping + unscaling));
}

}  // namespace echo::training
