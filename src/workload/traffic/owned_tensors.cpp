// InternEvo's hybrid ZeRO and PaddlePaddle's sharding do not cut tensors. Each tensor is assigned, largest
// first, to the rank that owns least so far; after the update every owner broadcasts its tensors, one call
// per owner. A group of few ranks thus sends as many equal messages as it has ranks; one with more ranks
// than the model has tensors sends every tensor by itself, the vectors (norms, biases) included, and the
// remaining ranks send nothing. Each call is a chain through all ranks and waits for the one before: the
// next root is usually the last link of that chain (NCCL goes round a node in falling order), so nothing of
// it is hidden.
//
// Sources: InternEvo internlm/solver/optimizer/hybrid_zero_optim.py (_partition_param_list,
// broadcast_params); Paddle
// python/paddle/distributed/fleet/meta_optimizers/dygraph_optimizer/dygraph_sharding_optimizer.py
// (_partition_parameters, _sharding_sync_parameters). Neglected: that tables are larger than other matrices.
#include "workload/traffic/owned_tensors.hpp"

#include <algorithm>

#include "training/layout/weight_tensors.hpp"
#include "workload/traffic/step_tail.hpp"

namespace echo::workload {

std::array<OwnersBroadcast, 2> owners_broadcasts(const BlockContext& x, training::WeightKind weights,
                                                 std::int32_t chunk, const ops::CollectiveQuery& gather) {
  const training::TensorCount held = weights == training::WeightKind::dense
                                         ? training::dense_tensors(x.model, x.layout, chunk)
                                         : training::expert_tensors(x.config, x.model, x.layout, chunk);
  const std::int64_t ranks = shards_of(x, weights).ranks;
  const std::int64_t owners = std::clamp<std::int64_t>(held.matrices, 1, ranks);
  const std::int64_t with_vectors = std::min(held.vectors, ranks - owners);
  const ops::CollectiveQuery share{.kind = ops::CollectiveKind::broadcast,
                                   .payload = Bytes(gather.payload.value / owners),
                                   .group = gather.group};
  ops::CollectiveQuery vector = share;
  vector.payload = Bytes(std::int64_t{x.model.hidden} * machine::element_bytes(x.config.precision));
  return {{{share, static_cast<std::int32_t>(owners)}, {vector, static_cast<std::int32_t>(with_vectors)}}};
}

}  // namespace echo::workload
