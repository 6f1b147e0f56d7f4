// Bytes per number, by use.
#pragma once

#include "machine/precision.hpp"
#include "training/config.hpp"

namespace echo::training {

[[nodiscard]] constexpr bool is_8_bit(Precision p) {
  return p == Precision::fp8 || p == Precision::mxfp8 || p == Precision::nvfp4;
}

// An operand of a matrix product with the scales of its blocks: one byte per 32 (mxfp8), one per 16 and half
// a byte per number (nvfp4), four per 128 (DeepSeek-V3's blocks); one scale per tensor otherwise.
[[nodiscard]] constexpr double quantised_bytes(const TrainingConfig& c) {
  if (c.precision == Precision::nvfp4) return 0.5 + 1.0 / 16.0;
  if (c.precision == Precision::mxfp8) return 1.0 + 1.0 / 32.0;
  return c.recipe.fp8_recipe == Fp8Recipe::blockwise ? 1.0 + 4.0 / 128.0 : 1.0;
}
// Input that a product keeps for the backward pass: quantised if it ran in 8 bit (Transformer
// Engine keeps the copy its weight gradient reads).
[[nodiscard]] constexpr double saved_operand_bytes(const TrainingConfig& c) {
  return is_8_bit(c.precision) ? quantised_bytes(c) : machine::element_bytes(c.precision);
}

// Tokens of one microbatch on one GPU rank: context parallelism divides the sequence.
[[nodiscard]] constexpr double tokens_per_rank(const TrainingConfig& c) {
  return static_cast<double>(c.batch.sequence_tokens) / c.degrees.context * c.batch.micro_samples;
}
// Factor by which sequence parallelism divides the norms' tensors.
[[nodiscard]] constexpr double sequence_shares(const TrainingConfig& c) {
  return c.sequence_parallel ? c.degrees.tensor : 1.0;
}

}  // namespace echo::training
