// ZeRO-2 and 3 keep only a shard of each gradient, so every microbatch's gradients are reduced as they come:
// DeepSpeed communicates at every micro-step from stage 2 on, FSDP unless configured to wait. With no_sync
// whole gradients are kept and reduced once; weights that were not freed after the forward then also stay
// for all microbatches (FSDP1 under no_sync with SHARD_GRAD_OP; torchtitan's pipelines, whose stages neither
// reshard nor reduce before the last microbatch). Sources: DeepSpeed runtime/engine.py, allreduce_gradients;
// PyTorch torch/distributed/fsdp/_runtime_utils.py, _should_free_in_backward;
// torch/distributed/pipelining/stage.py, backward_maybe_with_nosync.
#include "workload/traffic/data_traffic.hpp"

namespace echo::workload {

DataTraffic::DataTraffic(const training::TrainingConfig& c, const training::RankLayout& layout) {
  using training::ZeroStage;
  const bool replicated = layout.data_context.ranks > 1;
  const bool waits = replicated && c.recipe.no_sync && training::microbatches_of(c) > 1;
  const bool shards_weights = replicated && c.zero == ZeroStage::parameters;
  const bool shards_gradients = replicated && c.zero == ZeroStage::gradients;
  in_units = training::runs_in_units(c);
  gathers_forward = in_units && (c.recipe.fsdp_reshard || !waits);
  gathers_backward = in_units && c.recipe.fsdp_reshard;
  gathers_buckets = replicated && !in_units && c.overlap.param_gather && c.zero >= ZeroStage::optimizer;
  reduces_each = (shards_weights || shards_gradients) && !waits;
  reduces_last = shards_weights || shards_gradients || (replicated && c.overlap.grad_reduce);
  adds_each = !shards_weights || waits;
}

}  // namespace echo::workload
