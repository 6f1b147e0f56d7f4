// Recomputation: ops of a layer that backward repeats because forward did not keep their outputs.
#pragma once

#include "workload/builder.hpp"
#include "workload/layer/shapes.hpp"

namespace echo::workload {

// Per-op recomputation keeps every other product of a layer in forward order, starting with the first; it
// keeps no 8-bit products, which are a different operator and not on its list.
class KeptProducts {
 public:
  explicit KeptProducts(const Shapes& s) : is_listed_(!s.is_8_bit()) {}
  // Computes the next product again, after `need`, unless it was kept.
  void pass(Builder& b, const ops::KernelKey& product, OpId need = OpId::none()) {
    const bool kept = is_listed_ && ++passed_ % 2 == 1;
    if (!kept) b.compute(TimeCategory::recompute, product, {need});
  }

 private:
  bool is_listed_;
  std::int32_t passed_ = 0;
};

// Number of layers of a chunk of `layers` that are recomputed as configured; the others keep everything. Which
// they are does not matter to passes made of whole blocks.
[[nodiscard]] std::int32_t recomputed_layers(const training::TrainingConfig&, std::int32_t layers);
// Recomputation of layer `i` of a chunk: of every n-th, the last of n (torchtitan, activation_checkpoint.py).
[[nodiscard]] training::Recompute recompute_of(const training::TrainingConfig&, std::int32_t i);

// At the start of a layer's backward, by s.recompute. Returns a transfer the next op waits for, or none.
OpId recompute_layer(Builder&, const Shapes& s, training::LayerKind, OpId start_after);

}  // namespace echo::workload
