#include "sweep/space/canonical_text.hpp"

#include <fmt/format.h>

#include <vector>

#include "base/at.hpp"
#include "simulate/schedule_of.hpp"
#include "sweep/language/vocabulary.hpp"
#include "sweep/space/config_id.hpp"

namespace echo::sweep {

using training::TrainingConfig;

namespace {

constexpr TextPiece first_pieces[] = {{Axis::model, Axis::model},
                                      {Axis::cluster, Axis::cluster},
                                      {Axis::gpu, Axis::cluster},       // the cluster's own
                                      {Axis::framework, Axis::recipe},  // laid over it
                                      {Axis::recipe, Axis::model},      // and the trace that the model is
                                      {Axis::tp, Axis::tp},
                                      {Axis::pp, Axis::pp},
                                      {Axis::dp, Axis::dp},
                                      {Axis::cp, Axis::cp},
                                      {Axis::ep, Axis::ep},
                                      {Axis::etp, Axis::etp},
                                      {Axis::vpp, Axis::vpp},
                                      {Axis::micro_batch, Axis::micro_batch},
                                      {Axis::global_batch, Axis::global_batch},
                                      {Axis::seq_len, Axis::seq_len},
                                      {Axis::schedule, Axis::schedule},
                                      {Axis::recompute, Axis::recompute},
                                      {Axis::zero, Axis::zero},
                                      {Axis::precision, Axis::precision},
                                      {Axis::zero_group, Axis::zero_group},
                                      {Axis::sequence_parallel, Axis::sequence_parallel},
                                      {Axis::flash_attention, Axis::flash_attention},
                                      {Axis::overlap_grad_reduce, Axis::overlap_grad_reduce},
                                      {Axis::overlap_param_gather, Axis::overlap_param_gather},
                                      {Axis::overlap_p2p, Axis::overlap_p2p},
                                      {Axis::overlap_tp, Axis::overlap_tp},
                                      {Axis::embedding_is_layer, Axis::embedding_is_layer},
                                      {Axis::loss_is_layer, Axis::loss_is_layer},
                                      {Axis::layer_split, Axis::layer_split}};

std::vector<TextPiece> all_pieces() {
  std::vector<TextPiece> pieces(std::begin(first_pieces), std::end(first_pieces));
  for (const AxisInfo& info : axis_table)
    if (info.holder != AxisHolder::config) pieces.push_back({info.axis, info.axis});
  pieces.push_back({Axis::nccl_version, Axis::nccl_version});
  return pieces;
}

void append_layers(const TrainingConfig& config, const simulate::Catalog& catalog, std::string& text) {
  if (config.layers.explicit_layers.is_none()) return;
  text += "layer_split=";
  const std::size_t table = at(config.layers.explicit_layers.index());
  for (const std::int32_t layers : catalog.layer_tables.at(table)) text += fmt::format("{},", layers);
  text += ";";
}

void append_recipe(const TrainingConfig& config, const simulate::Catalog& catalog, std::string& text) {
  if (!config.named_recipe.is_none())
    text += fmt::format("recipe={};", catalog.recipes.at(at(config.named_recipe)).name);
  if (!catalog.model(config.model).trace.is_none())
    text += fmt::format("trace={};", catalog.model(config.model).source);
}

// Flags, and settings that later versions added, are left out where plain.
void append_choice(Axis axis, const TrainingConfig& config, const simulate::Catalog& catalog,
                   std::string& text) {
  const AxisInfo& info = info_of(axis);
  const std::int32_t value = training::member_of(axis).get(config);
  if (training::has_cluster_presets(axis)) {
    if (!is_plain(axis, config))
      text += fmt::format("{}={};", info.name, vocabulary_of(axis, catalog)[at(value)]);
  } else if (info.holder != AxisHolder::config) {
    if (!is_plain(axis, config)) text += fmt::format("{}={};", info.name, value);
  } else if (info.kind == AxisKind::flag) {
    if (value != 0) text += fmt::format("{}=true;", info.name);
  } else if (axis == Axis::zero_group || axis == Axis::nccl_version) {
    if (value != 0) text += fmt::format("{}={};", info.name, value);
  } else {
    text += fmt::format("{}={};", info.name, value);
  }
}

}  // namespace

std::span<const TextPiece> text_pieces() {
  static const std::vector<TextPiece> pieces = all_pieces();
  return pieces;
}

void append_piece(Axis axis, const TrainingConfig& config, const simulate::Catalog& catalog,
                  std::string& text) {
  switch (axis) {
    case Axis::model:
      text += fmt::format("model={};", catalog.model(config.model).name);
      return;
    case Axis::cluster:
      text += fmt::format("cluster={};", catalog.cluster(config.cluster).name);
      return;
    case Axis::gpu:
      text += fmt::format("gpu={};", catalog.gpu(config).name);
      return;
    case Axis::framework:
      text += fmt::format("framework={};", catalog.framework(config).name);
      return;
    case Axis::recipe:
      return append_recipe(config, catalog, text);
    case Axis::schedule:
      text += fmt::format("schedule={};", simulate::schedule_of(config, catalog).name);
      return;
    case Axis::recompute:
      text += fmt::format("recompute={};", training::recompute_names[at(config.recompute)]);
      return;
    case Axis::precision:
      text += fmt::format("precision={};", machine::precision_names[at(config.precision)]);
      return;
    case Axis::layer_split:
      return append_layers(config, catalog, text);
    default:
      return append_choice(axis, config, catalog, text);
  }
}

std::string canonical_text(const TrainingConfig& config, const simulate::Catalog& catalog) {
  std::string text;
  for (const TextPiece& piece : text_pieces()) append_piece(piece.axis, config, catalog, text);
  return text;
}

}  // namespace echo::sweep
