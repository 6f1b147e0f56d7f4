// Communicator shapes and classes of equivalent ranks in Megatron's rank order (tp fastest, then cp, dp, pp).
// The ranks of a stage are divided a second time for the experts: etp fastest, then ep, then expert-data,
// independently of tp, cp and dp.
// Source: Megatron-LM megatron/core/parallel_state.py, RankGenerator order "tp-cp-ep-dp-pp".
#pragma once

#include <cstdint>
#include <vector>

#include "base/csr.hpp"
#include "machine/cluster.hpp"
#include "machine/group.hpp"
#include "training/config.hpp"
#include "training/model.hpp"

namespace echo::training {

// GPU ranks that behave identically, simulated once: here one class per pipeline stage.
struct RankClass {
  std::int32_t stage = 0, first_gpu_rank = 0, multiplicity = 1;
  friend constexpr auto operator<=>(const RankClass&, const RankClass&) = default;
};

struct RankLayout {
  machine::GroupSpan tensor, pipeline, data, context;
  machine::GroupSpan context_inner,
      context_outer;  // context split in two: neighbours that share an all-to-all, and the ring across them
  machine::GroupSpan data_context;  // gradients are reduced over data * context
  machine::GroupSpan shard,
      replica;                // data_context split in two: ranks that share one copy of the sharded states,
                              //   and ranks that hold the same shard
  machine::GroupSpan expert;  // ranks with different experts, which exchange tokens
  machine::GroupSpan expert_within,
      expert_across;                 // expert split in two: its ranks within a node, and one per node
  machine::GroupSpan expert_tensor;  // ranks that share each expert's matrices
  machine::GroupSpan expert_grid;    // both: one copy of all experts of a layer
  machine::GroupSpan expert_data;    // ranks with the same part of the same experts
  machine::GroupSpan expert_shard, expert_replica;  // expert_data split in two, as data_context is
  machine::GroupSpan model;                         // tensor * pipeline: the grad-norm all-reduce
  machine::GroupSpan embedding;                     // first and last stage
  std::vector<bool> hop_crosses_nodes;  // [pipeline - 1 or pipeline with wrap]: stage i -> i+1 (mod pipeline)
  std::vector<std::int32_t>
      chunk_layers;  // [pipeline * virtual_stages] transformer layers of each chunk, chunk order
  std::vector<std::int32_t> chunk_first_layer;  // [pipeline * virtual_stages] index of the first of them
  Csr<LayerCount> chunk_kinds;                  // [pipeline * virtual_stages] how many of each kind
  std::vector<std::int32_t> stage_of_chunk;     // [pipeline * virtual_stages]
  // [pipeline * virtual_stages] the first chunk of the same layers in the same order and of the same ends of
  // the model: what the two compute, hold and send is the same.
  std::vector<std::int32_t> twin_of_chunk;
  std::vector<bool> repeats_stage;  // [pipeline] whether its chunks are, one by one, twins of those of the
                                    //   stage before; of one copy of the model only
  // Copies of the model, one after the other in the tables of chunks.
  std::int32_t copies = 1;
  std::vector<machine::GroupSpan>
      mirrors;                       // [pipeline] the stage and that with the same chunks; one copy: none
  std::vector<RankClass> classes;    // [pipeline]
  std::vector<std::int32_t> slots;   // [gpus] GPU of the machine each rank is on; empty where packed
  std::vector<std::int32_t> counts;  // scratch of placed_span

  // Whether a chunk holds the embedding; the output layer.
  [[nodiscard]] bool opens_model(std::size_t chunk) const {
    return chunk % (chunk_layers.size() / copies) == 0;
  }
  [[nodiscard]] bool closes_model(std::size_t chunk) const { return opens_model(chunk + 1); }
};

// Contract: `config` breaks no rule of training::rule_sets. `out` is reused. `layer_table`: the explicit
// split, empty if none.
void lay_out_ranks(const TrainingConfig&, const ModelSpec&, const machine::ClusterSpec&,
                   const std::vector<std::int32_t>& layer_table, RankLayout& out);

// Ranks of a context group that exchange heads for tokens by all-to-all (Ulysses): all of them, none (1), or
// in a hybrid the given number or those on one node.
[[nodiscard]] std::int32_t context_inner_ranks(const TrainingConfig&, const machine::ClusterSpec&);

// Adds a second copy of the model whose first chunk is on the last stage (DualPipe).
void copy_model(const TrainingConfig&, const machine::ClusterSpec&, RankLayout& out);

// The shape of the group {0, stride, 2 stride, ...} of `ranks` members on nodes (or scale-up domains) of
// `gpus_per_node` GPUs; the job uses `gpus_in_use` in total.
[[nodiscard]] machine::GroupSpan span_of(std::int32_t ranks, std::int32_t stride, std::int32_t gpus_per_node,
                                         std::int32_t gpus_in_use);

}  // namespace echo::training
