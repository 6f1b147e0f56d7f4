// Work of each stage once per step: gradient reductions left over, agreement on the norm, the optimizer.
#pragma once

#include "workload/builder.hpp"
#include "workload/transformer.hpp"

namespace echo::workload {

// Appends one row per stage to out.tail.
void trace_step_tail(Builder&, const BlockContext&, Workload& out);

// Bytes of one gradient, as kept and reduced.
[[nodiscard]] std::int64_t gradient_bytes(const BlockContext&);
// How gradients are combined over the data-parallel group: all-reduce, or reduce-scatter when states are
// sharded.
[[nodiscard]] ops::CollectiveQuery gradient_reduction(const BlockContext&, std::int64_t parameters);
// Where shard groups are smaller than the data-parallel group: the sum of a scattered gradient over the
// replicas.
[[nodiscard]] ops::CollectiveQuery replica_reduction(const BlockContext&, std::int64_t parameters);
// Both, on the data lane of the open block, as soon as `done` is.
void reduce_gradients(Builder&, const BlockContext&, std::int64_t parameters, OpIndex done);
[[nodiscard]] ops::CollectiveQuery parameter_gather(const BlockContext&, std::int64_t parameters);
[[nodiscard]] Part data_part(const BlockContext&);  // dp_comm, or zero_comm when states are sharded

}  // namespace echo::workload
