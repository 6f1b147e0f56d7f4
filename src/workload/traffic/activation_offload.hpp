// Activations of a chunk's first layers that wait for the backward pass in the memory of the host.
#pragma once

#include "workload/builder.hpp"
#include "workload/layer/transformer.hpp"
#include "workload/traffic/chunk_contents.hpp"

namespace echo::workload {

class ActivationOffload {
 public:
  ActivationOffload(Builder&, const BlockContext&, const ChunkContents&);
  // Call in the order the layers run: after each one's forward, before each one's backward.
  void after_forward(std::int32_t layer);
  void before_backward(std::int32_t layer);

 private:
  // The layer at whose end the activations of layer `nth` have left.
  [[nodiscard]] std::int32_t window_end(std::int32_t nth) const;
  OpIndex copy(std::int32_t layer);

  Builder& b_;
  const BlockContext& x_;
  const ChunkContents& chunk_;
  std::int32_t away_;      // layers whose activations leave
  std::int32_t next_ = 0;  // forward: whose copy is under way or comes next; backward: how many are away
  OpIndex copying_ = -1;
};

}  // namespace echo::workload
