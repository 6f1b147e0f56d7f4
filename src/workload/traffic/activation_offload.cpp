// The tensors that a layer keeps for its backward pass are copied to the host on a stream of its own, one
// layer at a time, and copied back before they are needed. The copies of n layers are spread over windows of
// all the chunk's layers, as equal as possible: at the end of its window computation waits for the copy,
// whose memory is free from then on, and the copy of the next layer begins; the backward pass goes through
// the same windows in reverse. A copy that takes longer than its window stalls computation. Source:
// Transformer Engine pytorch/cpu_offload.py, AsyncDoubleBufferGroupOffloadHandler (layer_window_map,
// synchronize_on_group_commit_forward, on_group_commit_backward); Megatron-LM --cpu-offloading-num-layers.
// They wait in the host's memory, or in a tier behind it that the host's memory is a buffer of
// (ZeRO-Infinity, arXiv:2104.07857, section 5.2.2). Neglected: tensors below TE's minimum size for a copy,
// which stay; that copies of the two directions, or of two tiers, may run side by side.
#include "workload/traffic/activation_offload.hpp"

#include <algorithm>
#include <cmath>

#include "training/memory/layer_activations.hpp"

namespace echo::workload {

ActivationOffload::ActivationOffload(Builder& b, const BlockContext& x, const ChunkContents& chunk)
    : b_(b), x_(x), chunk_(chunk), away_(std::min(x.config.recipe.offload_layers, chunk.layers)) {}

std::int32_t ActivationOffload::window_end(std::int32_t nth) const {
  const std::int32_t window = chunk_.layers / away_, longer = chunk_.layers % away_;
  return window * (nth + 1) - 1 + std::min(nth + 1, longer);
}

OpId ActivationOffload::copy(std::int32_t layer, Access access) {
  const training::LayerKind kind = training::layer_kind(x_.model, chunk_.first_layer + layer);
  const auto bytes = std::llround(training::kept_layer_bytes(x_.config, x_.model, x_.framework, kind));
  return b_.communicate(Lane::host, TimeCategory::other,
                        tier_copy(x_, x_.config.recipe.activation_tier, access, bytes), {b_.last_compute()});
}

void ActivationOffload::after_forward(std::int32_t layer) {
  if (next_ >= away_) return;
  if (layer == 0) copying_ = copy(0, Access::write);
  if (layer != window_end(next_)) return;
  b_.hold_compute(copying_);
  if (++next_ < away_) copying_ = copy(next_, Access::write);
}

void ActivationOffload::before_backward(std::int32_t layer) {
  if (away_ == 0) return;
  if (layer == chunk_.layers - 1) next_ = away_;
  if (next_ > 0 && layer == window_end(next_ - 1)) {
    b_.hold_compute(copying_);
    copying_ = copy(--next_, Access::read);
  } else if (layer == 0) {
    b_.hold_compute(copying_);
  }
}

}  // namespace echo::workload
