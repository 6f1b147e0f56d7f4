// Memory and copies required by the number formats of a recipe: copies, scales and bytes of narrow operands,
// and optimizer states.
#pragma once

#include <cstdint>

#include "training/config.hpp"

namespace echo::training {

// Operands of products narrower than 16 bits.
struct NarrowFormat {
  double bytes = 0.0;       // per copy of an element, including its part of a scale
  std::int32_t block = 1;   // elements that share a scale; 1 = the whole tensor
  std::int32_t copies = 1;  // a product and its weight gradient use different copies
  bool scale_is_known =
      false;  // from earlier steps (delayed): the kernel that writes the tensor may write the format
  bool scale_is_global = false;  // the largest magnitude of the tensor itself must be found first
  bool by_row = false;  // a scale of each row, along the summed dimension of the product: cast from 16 bit
                        // for each, after any gather
  friend bool operator==(const NarrowFormat&, const NarrowFormat&) = default;
};
// Precondition: config.precision is narrow. Products of one 8-bit layout on Hopper need a transposed copy;
// Blackwell's take any, but its blocks run along the summed dimension, so that block formats keep two copies.
[[nodiscard]] NarrowFormat narrow_format(const TrainingConfig&, std::int32_t compute_capability);

// Bytes per element of a product's input as kept for its weight gradient.
[[nodiscard]] double saved_operand_bytes(const TrainingConfig&, std::int32_t compute_capability);
// Bytes per parameter of narrow copies of weights that outlive a microbatch, besides the 16-bit weights.
[[nodiscard]] double cached_weight_bytes(const TrainingConfig&, std::int32_t compute_capability);

// Bytes per parameter: both moments (or the one) of an optimizer, scales of blocks included; the fp32 copy of
// weights kept in 16 bit.
[[nodiscard]] double moment_bytes(Optimizer);
[[nodiscard]] double master_bytes(const TrainingConfig&);
// HBM bytes per parameter of one update: gradient, moments, weights; clipping and unscaling of the gradient.
[[nodiscard]] std::int32_t update_bytes(const TrainingConfig&);

}  // namespace echo::training
