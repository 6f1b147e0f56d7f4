// Layers of a chunk that are copied from one traced before: of its first forward, which waits for gathered
// weights, and of its last backward, together with the gradients that become complete in between.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "workload/layer/transformer.hpp"

namespace echo::workload {

// A gradient that is complete after the first `ops` ops of a layer, by its op `done`.
struct CompleteGradient {
  std::int32_t ops = 0;
  training::WeightKind weights{};
  std::int64_t parameters = 0;
  OpId done;
};

// Notes the gradients of a block in which nothing but one layer is traced.
struct GradientNotes {
  std::vector<CompleteGradient> gradients;

  [[nodiscard]] GradientReady hook() { return {&GradientNotes::note, this}; }

 private:
  static void note(void* self, Builder&, training::WeightKind, std::int64_t parameters, OpId done);
};
using LayerGradients = std::array<GradientNotes, training::layer_kind_count>;  // by LayerKind::index

// Whether copies are what layer_backward appends: where CUDA graphs replay a layer, what is launched among
// its ops counts as replayed, and a transfer that comes first waits for what was computed before the layer.
[[nodiscard]] bool can_be_copied(const OpGraph& layer, const GradientNotes&);

// Appends the ops of a layer's block to the open block and calls `ready` as layer_backward does.
// Contract: can_be_copied; these are the notes of the layer.
void copy_layer(Builder&, const OpGraph& layer, const GradientNotes&, const GradientReady& ready);

// Whether copies are what layer_forward appends to the open block.
[[nodiscard]] bool can_be_copied(const Builder&, const OpGraph& layer);

// Appends the ops of a layer's block to the open block; the first one also waits for `start_after`. Contract:
// can_be_copied.
void copy_layer(Builder&, const OpGraph& layer, OpId start_after);

}  // namespace echo::workload
