// Return of updated weights if each rank of a shard group owns whole tensors.
#pragma once

#include <array>
#include <cstdint>

#include "ops/collective.hpp"
#include "training/layout/rank_parameters.hpp"
#include "workload/layer/transformer.hpp"

namespace echo::workload {

struct OwnersBroadcast {
  ops::CollectiveQuery query;
  std::int32_t count = 0;  // one after the other; may be 0
};

// Broadcasts that replace `gather`, the all-gather of these weights of a chunk: by the owners of matrices,
// and by the ranks that own only a vector. The payloads sum to that of `gather`, except for vectors.
[[nodiscard]] std::array<OwnersBroadcast, 2> owners_broadcasts(const BlockContext&, training::WeightKind,
                                                               std::int32_t chunk,
                                                               const ops::CollectiveQuery& gather);

}  // namespace echo::workload
