// Fully sharded data parallelism, one unit per transformer layer and a root unit for embedding, final norm
// and head.
//
// A unit's parameters are gathered before it runs and freed after (reshard after forward); while one unit
// computes the next one's gather is under way (prefetch of one unit, both directions), and its gradients are
// reduce-scattered behind the next unit's backward. Gathers and scatters share one communicator and so one
// lane, in launch order. The root stays gathered through both passes. Every microbatch does all of it:
// nothing is accumulated unsharded. Sources: Zhao et al. 2023 (PyTorch FSDP, arXiv:2304.11277,
// sections 3.3-3.4); torch.distributed.fsdp, BACKWARD_PRE. Neglected: copies in and out of the flat gather
// buffers, the limiter of in-flight gathers.
#include "workload/sharded_chunk.hpp"

#include "training/memory.hpp"
#include "workload/recompute.hpp"
#include "workload/step_tail.hpp"

namespace echo::workload {

namespace {

using training::LayerKind;
using training::WeightKind;

struct Units {
  Units(const BlockContext& block, const ChunkContents& contents)
      : x(block), chunk(contents), root(chunk.parameters.dense) {
    for (std::int32_t i = 0; i < chunk.layers; ++i) root -= layer(i);
  }
  [[nodiscard]] LayerKind kind(std::int32_t i) const {
    return training::layer_kind(x.model, chunk.first_layer + i);
  }
  [[nodiscard]] std::int64_t layer(std::int32_t i) const {
    return training::layer_parameters_per_rank(x.config, x.model, kind(i)).dense;
  }
  const BlockContext& x;
  const ChunkContents& chunk;
  std::int64_t root;
};

OpIndex gather_unit(Builder& b, const BlockContext& x, std::int64_t parameters, OpIndex after) {
  if (parameters == 0) return -1;
  return b.communicate(Lane::data, Part::zero_comm, parameter_gather(x, WeightKind::dense, parameters),
                       {after});
}

}  // namespace

std::int32_t sharded_forward(Builder& b, const BlockContext& x, const ChunkContents& chunk) {
  const std::int32_t block = b.open_block();
  const Units units(x, chunk);
  const OpIndex root = gather_unit(b, x, units.root, -1);
  OpIndex gathered = chunk.layers > 0 ? gather_unit(b, x, units.layer(0), -1) : -1;
  if (chunk.first) embedding_forward(b, x, root);
  for (std::int32_t i = 0; i < chunk.layers; ++i) {
    const OpIndex next = i + 1 < chunk.layers ? gather_unit(b, x, units.layer(i + 1), b.last_compute()) : -1;
    layer_forward(b, x, units.kind(i), Part::forward, gathered);
    gathered = next;
  }
  if (chunk.last) head_forward(b, x, root);
  return block;
}

std::int32_t sharded_backward(Builder& b, const BlockContext& x, const ChunkContents& chunk) {
  const std::int32_t block = b.open_block();
  const Units units(x, chunk);
  OpIndex gathered = chunk.layers > 0 ? gather_unit(b, x, units.layer(chunk.layers - 1), -1) : -1;
  if (chunk.last) head_backward(b, x);
  for (std::int32_t i = chunk.layers - 1; i >= 0; --i) {
    const OpIndex next = i > 0 ? gather_unit(b, x, units.layer(i - 1), b.last_compute()) : -1;
    layer_backward(b, x, units.kind(i), recompute_of(x.config, i), {}, gathered);
    reduce_gradients(b, x, WeightKind::dense, units.layer(i), b.last_compute());
    gathered = next;
  }
  if (chunk.first) embedding_backward(b, x);
  if (units.root > 0) reduce_gradients(b, x, WeightKind::dense, units.root, b.last_compute());
  return block;
}

}  // namespace echo::workload
