// The axes a sweep may cross, their names in files, and the kind of value each takes.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "training/recipe.hpp"

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
  layer_split,
  zero_group
  // The choices of a recipe follow, in their order: see axis_of_choice.
};
inline constexpr std::int32_t first_choice_axis = 30;
inline constexpr std::int32_t axis_count = first_choice_axis + training::choice_count;

enum class AxisKind : std::int8_t {
  preset,      // a name in the catalog
  word,        // one of a fixed set of names
  count,       // a positive integer
  level,       // an integer from 0
  batch,       // sequences, or a number of tokens
  flag,        // true or false
  version,     // "2.21.5"
  layer_list,  // "even", or transformer layers per chunk
  words,       // some of a fixed set of names, joined by "+"
  ratio        // a real number, in thousandths
};

struct AxisInfo {
  Axis axis;
  std::string_view name;
  AxisKind kind;
};
constexpr Axis axis_of_choice(std::int32_t choice) { return static_cast<Axis>(first_choice_axis + choice); }
// The choice behind an axis, or -1.
constexpr std::int32_t choice_of(Axis axis) {
  return std::max(-1, static_cast<std::int32_t>(axis) - first_choice_axis);
}

constexpr AxisKind kind_of(training::ChoiceKind kind) {
  switch (kind) {
    case training::ChoiceKind::flag:
      return AxisKind::flag;
    case training::ChoiceKind::count:
      return AxisKind::level;
    case training::ChoiceKind::word:
      return AxisKind::word;
    case training::ChoiceKind::words:
      return AxisKind::words;
    case training::ChoiceKind::permille:
      break;
  }
  return AxisKind::ratio;
}

inline constexpr std::array<AxisInfo, first_choice_axis> named_axes{{
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
    {Axis::zero_group, "zero_group", AxisKind::level},
}};
inline constexpr std::array<AxisInfo, axis_count> axis_table = [] {
  std::array<AxisInfo, axis_count> table{};
  std::copy(named_axes.begin(), named_axes.end(), table.begin());
  for (std::int32_t i = 0; i < training::choice_count; ++i) {
    const training::ChoiceHead& head = training::choice_heads[static_cast<std::size_t>(i)];
    table[static_cast<std::size_t>(first_choice_axis + i)] = {axis_of_choice(i), head.name,
                                                              kind_of(head.kind)};
  }
  return table;
}();

constexpr const AxisInfo& info_of(Axis axis) { return axis_table[static_cast<std::size_t>(axis)]; }
constexpr std::size_t at(Axis axis) { return static_cast<std::size_t>(axis); }
// Axes that may be "auto": their legal values divide something the sweep knows.
constexpr bool has_auto(Axis axis) {
  return axis == Axis::tp || axis == Axis::pp || axis == Axis::dp || axis == Axis::cp || axis == Axis::ep ||
         axis == Axis::vpp || axis == Axis::micro_batch;
}
constexpr bool is_text(AxisKind kind) {
  return kind == AxisKind::preset || kind == AxisKind::word || kind == AxisKind::version ||
         kind == AxisKind::words;
}
// The largest value of an axis of whole numbers; of a ratio, in thousandths.
[[nodiscard]] inline std::int32_t highest_of(Axis axis) {
  if (choice_of(axis) >= 0)
    return training::recipe_choices()[static_cast<std::size_t>(choice_of(axis))].highest;
  return axis == Axis::zero ? 3 : INT32_MAX;
}

}  // namespace echo::sweep
