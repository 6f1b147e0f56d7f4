// The entry of one axis in the table of axes: its kind, what holds its value, and when it is idle. The table
// itself is generated from axes.toml (training/axis_table.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace echo::training {

enum class Axis : std::int8_t;  // in the order of axes.toml, which is the order of a config's id

enum class AxisKind : std::int8_t {
  preset,      // a name in the catalog
  word,        // one of a fixed set of names
  count,       // a whole number from 1
  level,       // a whole number from 0
  batch,       // sequences, or a number of tokens
  flag,        // true or false
  version,     // "2.21.5"
  layer_list,  // "even", or transformer layers per chunk
  words,       // some of a fixed set of names, joined by "+"
  ratio        // a real number, in thousandths
};

// The holder of the value: TrainingConfig itself, its recipe (which frameworks start from), or its fabric.
enum class AxisHolder : std::int8_t { config, recipe, fabric };

// The condition under which an axis matters to a config; sweep/space/config_id.cpp tests each.
enum class Condition : std::int8_t {
  has_stages,            // pipeline > 1
  splits_tensors,        // tensor > 1
  splits_sequences,      // context > 1
  has_replicas,          // data * context > 1
  sequence_parallel,     // norms and residuals split along the sequence
  whole_activations,     // not sequence_parallel
  interleaves,           // the schedule runs several chunks on a stage
  splits_backward,       // zero bubble: gradients of inputs and of weights apart
  whole_backward,        // not split
  shards_states,         // ZeRO 1 or more
  shards_gradients,      // ZeRO 2 or more
  shards_weights,        // ZeRO 3
  has_experts,           // of the model
  spreads_experts,       // and expert > 1
  has_shared_experts,    // of the model
  is_fp8,                // precision = "fp8"
  has_narrow_operands,   // products of 8 bits
  casts_operands,        // products of 8 or 4 bits
  nests_exchanges,       // cp_comm = "a2a+p2p"
  recomputes_modules,    // recompute = "selective"
  recomputes_layers,     // recompute = "full"
  has_adapters,          // lora_rank > 0
  textbook_collectives,  // collectives = "generic"
  may_be_hierarchical,   // generic_algorithm = "hierarchical", or "auto"
  scatters_nodes,        // placement = "scattered"
  names_another_nccl,    // than the cluster's
  runs_in_units,         // weights arrive layer by layer: sharded over replicas (ZeRO 3), or offloaded
  offloads_optimizer,    // offload_optimizer
  offloads_activations,  // offload_layers > 0
  offloads_weights,      // offload_weights
  has_nics,              // the cluster is made of NICs and switches, not of given dimensions
  issues_passes,         // no CUDA graph holds whole passes
  overlaps_products      // overlap_tp
};
using Conditions = std::uint64_t;  // bits, by place

constexpr Conditions all_of(std::initializer_list<Condition> conditions) {
  Conditions bits = 0;
  for (const Condition condition : conditions) bits |= Conditions{1} << static_cast<int>(condition);
  return bits;
}

struct AxisInfo {
  Axis axis;
  std::string_view name;  // of the axis, the column and the key in framework files
  AxisKind kind;
  AxisHolder holder;
  std::int32_t highest;  // of whole numbers and codes of words; of a ratio, in thousandths
  bool has_auto;         // may be "auto": its legal values divide something the sweep knows
  bool of_trace;         // says something to a model that is a trace
  bool of_layout;        // how a model is laid out on GPUs: query/rank/without_slowdown.hpp
  bool is_decided;       // every framework file names it
  bool idle_at_plain;    // its plain value has no part in a config's id
  Conditions needs;      // idle unless all of them hold
};

}  // namespace echo::training
