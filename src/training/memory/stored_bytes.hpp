// Bytes per number, by use.
#pragma once

#include "machine/precision.hpp"
#include "training/config.hpp"

namespace echo::training {

[[nodiscard]] constexpr bool is_8_bit(Precision p) {
  return p == Precision::fp8 || p == Precision::mxfp8 || p == Precision::nvfp4;
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
