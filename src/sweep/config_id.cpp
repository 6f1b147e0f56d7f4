#include "sweep/config_id.hpp"

#include <fmt/format.h>

#include <span>

#include "base/digest.hpp"
#include "base/named_table.hpp"
#include "timeline/schedule.hpp"

namespace echo::sweep {

using training::TrainingConfig;

static bool repeats_version(const TrainingConfig& config, const simulate::Catalog& catalog) {
  if (config.comm.is_none()) return true;
  ops::CommSettings settings = catalog.comm_settings.at(static_cast<std::size_t>(config.comm.index()));
  if (settings.nccl_version == catalog.cluster(config.cluster).nccl_version) settings.nccl_version = 0;
  return settings == ops::CommSettings{};
}

AxisSet irrelevant_axes(const TrainingConfig& config, const simulate::Catalog& catalog) {
  AxisSet found;
  const auto add = [&found](std::initializer_list<Axis> axes) {
    for (const Axis axis : axes) found.set(at(axis));
  };
  const training::Degrees& degrees = config.degrees;
  const bool alone = degrees.data * degrees.context == 1;
  if (degrees.pipeline == 1) {
    add({Axis::vpp, Axis::schedule, Axis::overlap_p2p, Axis::embedding_is_layer, Axis::loss_is_layer,
         Axis::layer_split});
  }
  if (degrees.tensor == 1) add({Axis::sequence_parallel});
  // Chunks of the sequence are what overlaps.
  if (degrees.tensor == 1 || !config.sequence_parallel) add({Axis::overlap_tp});
  if (alone) add({Axis::zero, Axis::overlap_grad_reduce});
  if (alone || config.zero == training::ZeroStage::none) add({Axis::overlap_param_gather});
  if (catalog.model(config.model).experts == 0) add({Axis::etp});
  if (repeats_version(config, catalog)) add({Axis::nccl_version});
  return found;
}

AxisSet axes_that_may_not_matter() {
  AxisSet all;
  for (const Axis axis :
       {Axis::vpp, Axis::schedule, Axis::overlap_p2p, Axis::embedding_is_layer, Axis::loss_is_layer,
        Axis::layer_split, Axis::sequence_parallel, Axis::overlap_tp, Axis::zero, Axis::overlap_grad_reduce,
        Axis::overlap_param_gather, Axis::etp, Axis::nccl_version})
    all.set(at(axis));
  return all;
}

TrainingConfig normalised(TrainingConfig config, const simulate::Catalog& catalog) {
  static const training::ScheduleId plain_schedule(find_named(timeline::schedule_table(), "1f1b"));
  const AxisSet irrelevant = irrelevant_axes(config, catalog);
  const auto drop = [&irrelevant](Axis axis, auto& setting, auto plain_value) {
    if (irrelevant.test(at(axis))) setting = plain_value;
  };
  drop(Axis::etp, config.degrees.expert_tensor, 1);
  drop(Axis::vpp, config.degrees.virtual_stages, 1);
  drop(Axis::schedule, config.schedule, plain_schedule);
  drop(Axis::zero, config.zero, training::ZeroStage::none);
  drop(Axis::sequence_parallel, config.sequence_parallel, false);
  drop(Axis::overlap_grad_reduce, config.overlap.grad_reduce, false);
  drop(Axis::overlap_param_gather, config.overlap.param_gather, false);
  drop(Axis::overlap_p2p, config.overlap.pipeline, false);
  drop(Axis::overlap_tp, config.overlap.tensor, false);
  drop(Axis::embedding_is_layer, config.layers.embedding_is_layer, false);
  drop(Axis::loss_is_layer, config.layers.loss_is_layer, false);
  drop(Axis::layer_split, config.layers.explicit_layers, training::LayerTableId());
  drop(Axis::nccl_version, config.comm, ops::CommSettingsId());
  if (config.zero == training::ZeroStage::none) config.zero_group = 0;
  if (config.gpu == catalog.cluster(config.cluster).gpu) config.gpu = machine::GpuId();
  return config;
}

static void describe_layers(const TrainingConfig& config, const simulate::Catalog& catalog,
                            std::string& text) {
  if (config.layers.embedding_is_layer) text += "embedding_is_layer=true;";
  if (config.layers.loss_is_layer) text += "loss_is_layer=true;";
  if (config.layers.explicit_layers.is_none()) return;
  text += "layer_split=";
  const auto table = static_cast<std::size_t>(config.layers.explicit_layers.index());
  for (const std::int32_t layers : catalog.layer_tables.at(table)) text += fmt::format("{},", layers);
  text += ";";
}

static void describe_comm(const TrainingConfig& config, const simulate::Catalog& catalog, std::string& text) {
  if (config.comm.is_none()) return;
  const ops::CommSettings& comm = catalog.comm_settings.at(static_cast<std::size_t>(config.comm.index()));
  text += fmt::format("nccl_version={};", comm.nccl_version);
  if (!comm.algorithm.is_none()) text += fmt::format("nccl_algorithm={};", comm.algorithm.index());
  if (comm.protocol >= 0) text += fmt::format("nccl_protocol={};", comm.protocol);
  if (comm.min_channels >= 0) text += fmt::format("nccl_min_channels={};", comm.min_channels);
  if (comm.max_channels >= 0) text += fmt::format("nccl_max_channels={};", comm.max_channels);
}

std::string canonical_text(const TrainingConfig& config, const simulate::Catalog& catalog) {
  const training::Degrees& d = config.degrees;
  std::string text = fmt::format("model={};cluster={};gpu={};framework={};", catalog.model(config.model).name,
                                 catalog.cluster(config.cluster).name, catalog.gpu(config).name,
                                 catalog.framework(config.framework).name);
  text += fmt::format("tp={};pp={};dp={};cp={};ep={};etp={};vpp={};", d.tensor, d.pipeline, d.data, d.context,
                      d.expert, d.expert_tensor, d.virtual_stages);
  text += fmt::format("micro_batch={};global_batch={};seq_len={};", config.batch.micro_samples,
                      config.batch.global_samples, config.batch.sequence_tokens);
  const auto schedule = static_cast<std::size_t>(config.schedule.index());
  text += fmt::format(
      "schedule={};recompute={};zero={};precision={};", timeline::schedule_table()[schedule]->name,
      training::recompute_names[static_cast<std::size_t>(config.recompute)], static_cast<int>(config.zero),
      machine::precision_names[static_cast<std::size_t>(config.precision)]);
  const auto flag = [&](bool value, const char* name) {
    if (value) text += fmt::format("{}=true;", name);
  };
  if (config.zero_group != 0) text += fmt::format("zero_group={};", config.zero_group);
  flag(config.sequence_parallel, "sequence_parallel");
  flag(config.flash_attention, "flash_attention");
  flag(config.overlap.grad_reduce, "overlap_grad_reduce");
  flag(config.overlap.param_gather, "overlap_param_gather");
  flag(config.overlap.pipeline, "overlap_p2p");
  flag(config.overlap.tensor, "overlap_tp");
  describe_layers(config, catalog, text);
  describe_comm(config, catalog, text);
  return text;
}

std::uint64_t config_id_of(const TrainingConfig& config, const simulate::Catalog& catalog) {
  const std::string text = canonical_text(normalised(config, catalog), catalog);
  return hash64(std::as_bytes(std::span(text)));
}

}  // namespace echo::sweep
