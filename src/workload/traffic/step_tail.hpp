// Work of each stage once per step: remaining gradient reductions, gradient norm, optimizer.
#pragma once

#include "workload/builder.hpp"
#include "workload/layer/transformer.hpp"

namespace echo::workload {

// Appends one row per stage to out.tail.
void trace_step_tail(Builder&, const BlockContext&, Workload& out);

// Whether some of it is done for every microbatch: the scales of delayed scaling are updated after every
// pass.
[[nodiscard]] constexpr bool counts_microbatches(const training::TrainingConfig& config) {
  return config.precision == machine::Precision::fp8 &&
         config.recipe.fp8_recipe == training::Fp8Recipe::delayed;
}

// Bytes of one gradient, as kept and reduced.
[[nodiscard]] std::int64_t gradient_bytes(const BlockContext&);
// How gradients are combined over the ranks that hold copies of the weights (the data-parallel group, or the
// experts'): all-reduce, or reduce-scatter when states are sharded.
[[nodiscard]] ops::CollectiveQuery gradient_reduction(const BlockContext&, training::WeightKind,
                                                      std::int64_t parameters);
// If shard groups are smaller than that group: the sum of a scattered gradient over the replicas.
[[nodiscard]] ops::CollectiveQuery replica_reduction(const BlockContext&, training::WeightKind,
                                                     std::int64_t parameters);
// Both, on the data lane of the open block, after `done`; nothing if one rank holds the only copy.
void reduce_gradients(Builder&, const BlockContext&, training::WeightKind, std::int64_t parameters,
                      OpId done);
// A kernel that reads and writes `bytes` in total.
[[nodiscard]] ops::KernelKey copy_of(std::int64_t bytes);
[[nodiscard]] ops::CollectiveQuery parameter_gather(const BlockContext&, training::WeightKind,
                                                    std::int64_t parameters, std::int64_t in_8_bit);
// Trained weights of a chunk, or of a layer, that are gathered in 8 bit.
[[nodiscard]] training::RankParameters chunk_in_8_bit(const BlockContext&, std::int32_t chunk);
[[nodiscard]] training::RankParameters layer_in_8_bit(const BlockContext&, training::LayerKind);
// Copies the gradients that a rank keeps after such a reduction to host memory, for a CPU optimizer.
void offload_gradients(Builder&, const BlockContext&, training::WeightKind, std::int64_t parameters,
                       OpId reduced);
// Ranks with copies of these weights; ranks over which their states are sharded.
[[nodiscard]] const machine::GroupSpan& copies_of(const BlockContext&, training::WeightKind);
[[nodiscard]] const machine::GroupSpan& shards_of(const BlockContext&, training::WeightKind);
[[nodiscard]] TimeCategory data_part(const BlockContext&);  // dp_comm, or zero_comm when states are sharded

}  // namespace echo::workload
