// Number of tensors in which a framework keeps weights.
#pragma once

#include <cstdint>

#include "training/config.hpp"
#include "training/layout/rank_layout.hpp"
#include "training/model.hpp"

namespace echo::training {

// Matrices, and vectors: norms and biases.
struct TensorCount {
  std::int64_t matrices = 0, vectors = 0;
  [[nodiscard]] std::int64_t total() const { return matrices + vectors; }
};

// Tensors of one rank's part of a chunk: attention has two matrices (queries, keys and values are one), a
// gated net three.
[[nodiscard]] TensorCount dense_tensors(const ModelSpec&, const RankLayout&, std::int32_t chunk);
[[nodiscard]] TensorCount expert_tensors(const TrainingConfig&, const ModelSpec&, const RankLayout&,
                                         std::int32_t chunk);

}  // namespace echo::training
