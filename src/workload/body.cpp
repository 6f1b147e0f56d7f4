#include "workload/body.hpp"

#include <algorithm>
#include <utility>

#include "training/layout/multi_token.hpp"
#include "workload/layer/multi_token.hpp"
#include "workload/layer/recompute.hpp"

namespace echo::workload {

using training::LayerKind;

// Whether a chunk recomputes only its first layers.
static bool keeps_some_layers(const BlockContext& x) {
  const std::vector<std::int32_t>& layers = x.layout.chunk_layers;
  return std::any_of(layers.begin(), layers.end(),
                     [&](std::int32_t of_chunk) { return recomputed_layers(x.config, of_chunk) < of_chunk; });
}

// Empty, with the buffers of the notes.
static void clear(PassBlocks& blocks) {
  LayerGradients layers = std::move(blocks.layer_gradients), kept = std::move(blocks.kept_gradients);
  for (LayerGradients* of : {&layers, &kept})
    for (GradientNotes& notes : *of) notes.gradients.clear();
  blocks = {};
  blocks.layer_gradients = std::move(layers), blocks.kept_gradients = std::move(kept);
}

void trace_passes(Builder& b, const BlockContext& x, PassBlocks& blocks) {
  clear(blocks);
  const training::LayerKindCounts layers = training::count_layer_kinds(x.model, 0, x.model.layers);
  const auto each_kind = [&](LayerBlocks& of, auto trace) {
    of.fill(BlockId::none());
    for (std::size_t i = 0; i < of.size(); ++i) {
      if (layers[i] == 0) continue;
      of[i] = b.open_block();
      trace(training::layer_kind_at(i));
    }
  };
  const auto notes = [&](LayerGradients& of, LayerKind kind) {  // chunks copy no split backwards
    return x.splits_backward ? GradientReady{} : of[kind.index()].hook();
  };
  blocks.embedding_forward = b.open_block();
  embedding_forward(b, x);
  each_kind(blocks.layer_forward, [&](LayerKind kind) { layer_forward(b, x, kind, TimeCategory::forward); });
  if (x.config.recipe.mtp_layers > 0) {
    blocks.multi_token_forward = b.open_block();
    multi_token_forward(b, x);
    blocks.multi_token_backward = b.open_block();
    multi_token_backward(b, x);
  }
  blocks.head_forward = b.open_block();
  head_forward(b, x);
  blocks.head_backward = b.open_block();
  head_backward(b, x);
  each_kind(blocks.layer_backward, [&](LayerKind kind) {
    layer_backward(b, x, kind, x.config.recompute, notes(blocks.layer_gradients, kind));
  });
  if (keeps_some_layers(x))
    each_kind(blocks.kept_backward, [&](LayerKind kind) {
      layer_backward(b, x, kind, training::Recompute::none, notes(blocks.kept_gradients, kind));
    });
  blocks.embedding_backward = b.open_block();
  embedding_backward(b, x);
  if (x.splits_backward) {
    each_kind(blocks.layer_weights, [&](LayerKind kind) { layer_weight_gradients(b, x, kind); });
    blocks.head_weights = b.open_block();
    head_weight_gradients(b, x);
    if (x.config.recipe.mtp_layers > 0) {
      blocks.multi_token_weights = b.open_block();
      multi_token_weight_gradients(b, x);
    }
  }
}

}  // namespace echo::workload
