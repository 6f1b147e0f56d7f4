// Work of each stage once per step: gradient reductions left over, agreement on the norm, the optimizer.
#pragma once

#include "workload/builder.hpp"
#include "workload/transformer.hpp"

namespace echo::workload {

// Appends one row per stage to out.tail.
void trace_step_tail(Builder&, const BlockContext&, Workload& out);

// Bytes of one gradient, as kept and reduced.
[[nodiscard]] std::int64_t gradient_bytes(const BlockContext&);
// How gradients are combined over the ranks that hold copies of the weights (the data-parallel group, or the
// experts'): all-reduce, or reduce-scatter when states are sharded.
[[nodiscard]] ops::CollectiveQuery gradient_reduction(const BlockContext&, training::WeightKind,
                                                      std::int64_t parameters);
// Where shard groups are smaller than that group: the sum of a scattered gradient over the replicas.
[[nodiscard]] ops::CollectiveQuery replica_reduction(const BlockContext&, training::WeightKind,
                                                     std::int64_t parameters);
// Both, on the data lane of the open block, as soon as `done` is; nothing where one rank holds the only copy.
void reduce_gradients(Builder&, const BlockContext&, training::WeightKind, std::int64_t parameters,
                      OpIndex done);
[[nodiscard]] ops::CollectiveQuery parameter_gather(const BlockContext&, training::WeightKind,
                                                    std::int64_t parameters);
// Ranks with copies of these weights, and those among which their states are sharded.
[[nodiscard]] const machine::GroupSpan& copies_of(const BlockContext&, training::WeightKind);
[[nodiscard]] const machine::GroupSpan& shards_of(const BlockContext&, training::WeightKind);
[[nodiscard]] Part data_part(const BlockContext&);  // dp_comm, or zero_comm when states are sharded

}  // namespace echo::workload
