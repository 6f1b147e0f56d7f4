// The axes a sweep may cross, their names in files, and the kind of value each takes.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace echo::sweep {

// File order of this list is the canonical order of a point's axes (config_id).
enum class Axis : std::int8_t {
  model,
  cluster,
  gpu,
  framework,
  gpus,
  tp,
  pp,
  dp,
  cp,
  ep,
  etp,
  vpp,
  micro_batch,
  global_batch,
  seq_len,
  schedule,
  recompute,
  zero,
  precision,
  sequence_parallel,
  flash_attention,
  overlap_grad_reduce,
  overlap_param_gather,
  overlap_p2p,
  overlap_tp,
  embedding_is_layer,
  loss_is_layer,
  nccl_version,
  layer_split
};
inline constexpr std::int32_t axis_count = 29;

enum class AxisKind : std::int8_t {
  preset,     // a name in the catalog
  word,       // one of a fixed set of names
  count,      // a positive integer
  level,      // an integer from 0
  batch,      // sequences, or a number of tokens
  flag,       // true or false
  version,    // "2.21.5"
  layer_list  // "even", or transformer layers per chunk
};

struct AxisInfo {
  Axis axis;
  std::string_view name;
  AxisKind kind;
};
inline constexpr std::array<AxisInfo, axis_count> axis_table{{
    {Axis::model, "model", AxisKind::preset},
    {Axis::cluster, "cluster", AxisKind::preset},
    {Axis::gpu, "gpu", AxisKind::preset},
    {Axis::framework, "framework", AxisKind::preset},
    {Axis::gpus, "gpus", AxisKind::count},
    {Axis::tp, "tp", AxisKind::count},
    {Axis::pp, "pp", AxisKind::count},
    {Axis::dp, "dp", AxisKind::count},
    {Axis::cp, "cp", AxisKind::count},
    {Axis::ep, "ep", AxisKind::count},
    {Axis::etp, "etp", AxisKind::count},
    {Axis::vpp, "vpp", AxisKind::count},
    {Axis::micro_batch, "micro_batch", AxisKind::count},
    {Axis::global_batch, "global_batch", AxisKind::batch},
    {Axis::seq_len, "seq_len", AxisKind::count},
    {Axis::schedule, "schedule", AxisKind::word},
    {Axis::recompute, "recompute", AxisKind::word},
    {Axis::zero, "zero", AxisKind::level},
    {Axis::precision, "precision", AxisKind::word},
    {Axis::sequence_parallel, "sequence_parallel", AxisKind::flag},
    {Axis::flash_attention, "flash_attention", AxisKind::flag},
    {Axis::overlap_grad_reduce, "overlap_grad_reduce", AxisKind::flag},
    {Axis::overlap_param_gather, "overlap_param_gather", AxisKind::flag},
    {Axis::overlap_p2p, "overlap_p2p", AxisKind::flag},
    {Axis::overlap_tp, "overlap_tp", AxisKind::flag},
    {Axis::embedding_is_layer, "embedding_is_layer", AxisKind::flag},
    {Axis::loss_is_layer, "loss_is_layer", AxisKind::flag},
    {Axis::nccl_version, "nccl_version", AxisKind::version},
    {Axis::layer_split, "layer_split", AxisKind::layer_list},
}};

constexpr const AxisInfo& info_of(Axis axis) { return axis_table[static_cast<std::size_t>(axis)]; }
constexpr std::size_t at(Axis axis) { return static_cast<std::size_t>(axis); }
// Axes that may be "auto": their legal values divide something the sweep knows.
constexpr bool has_auto(Axis axis) {
  return axis == Axis::tp || axis == Axis::pp || axis == Axis::dp || axis == Axis::cp || axis == Axis::ep ||
         axis == Axis::vpp || axis == Axis::micro_batch;
}
constexpr bool is_text(AxisKind kind) {
  return kind == AxisKind::preset || kind == AxisKind::word || kind == AxisKind::version;
}

}  // namespace echo::sweep
