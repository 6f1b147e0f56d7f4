// Activation offload: activations of a chunk's first layers are kept in host memory, or in a tier behind it,
// until the backward pass.
#pragma once

#include "workload/builder.hpp"
#include "workload/layer/transformer.hpp"
#include "workload/traffic/chunk_contents.hpp"
#include "workload/traffic/tier_copy.hpp"

namespace echo::workload {

class ActivationOffload {
 public:
  ActivationOffload(Builder&, const BlockContext&, const ChunkContents&);
  // Call in execution order: after each layer's forward, before each layer's backward.
  void after_forward(std::int32_t layer);
  void before_backward(std::int32_t layer);

 private:
  // The layer at whose end the activations of layer `nth` have been copied.
  [[nodiscard]] std::int32_t window_end(std::int32_t nth) const;
  OpId copy(std::int32_t layer, Access);

  Builder& b_;
  const BlockContext& x_;
  const ChunkContents& chunk_;
  std::int32_t away_;  // layers whose activations are offloaded
  std::int32_t next_ =
      0;  // forward: layer whose copy is in progress or next; backward: how many are offloaded
  OpId copying_ = OpId::none();
};

}  // namespace echo::workload
