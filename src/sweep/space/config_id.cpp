#include "sweep/space/config_id.hpp"

#include <fmt/format.h>

#include <span>

#include "base/digest.hpp"
#include "base/named_table.hpp"
#include "simulate/schedule_of.hpp"
#include "timeline/schedule.hpp"

namespace echo::sweep {

using training::TrainingConfig;

static bool repeats_version(const TrainingConfig& config, const simulate::Catalog& catalog) {
  return config.nccl_version == 0 || config.nccl_version == catalog.cluster(config.cluster).nccl_version;
}

// Choices of the recipe that cannot matter.
static void add_idle_choices(const TrainingConfig& c, const simulate::Catalog& catalog, AxisSet& found) {
  using training::choice_named;
  using training::Recompute;
  using training::ZeroStage;
  const training::Degrees& d = c.degrees;
  const training::ModelSpec& model = catalog.model(c.model);
  const timeline::Schedule schedule = simulate::schedule_of(c, catalog);
  const bool alone = d.data * d.context == 1, piped = d.pipeline > 1,
             spreads = model.has_experts() && d.expert > 1;
  const bool gathers = !alone && c.zero == ZeroStage::parameters;
  const bool narrow = machine::operand_bytes(c.precision) == 1;
  const auto matters = [&](std::int32_t choice, bool does) {
    if (!does) found.set(at(axis_of_choice(choice)));
  };
  // The usual library, the cluster's own fabric and what is left to NCCL have no part in a config's name, so
  // that configs keep the names they had before these were axes.
  matters(choice_named("kernel_library"), c.recipe.kernel_library != ops::KernelLibrary::training);
  matters(choice_named("nccl_algo"), c.recipe.nccl_algo != ops::NcclAlgorithm::automatic);
  matters(choice_named("nccl_proto"), c.recipe.nccl_proto != ops::NcclProtocol::automatic);
  matters(choice_named("nccl_min_nchannels"), c.recipe.nccl_min_nchannels != 0);
  matters(choice_named("nccl_max_nchannels"), c.recipe.nccl_max_nchannels != 0);
  matters(choice_named("nccl_max_p2p_nchannels"), c.recipe.nccl_max_p2p_nchannels != 0);
  matters(choice_named("comm_library"), c.recipe.comm_library != ops::CommLibrary::cluster);
  matters(choice_named("comm_kernels"), c.recipe.comm_kernels != 0);
  matters(choice_named("topology"), c.recipe.topology != 0);
  matters(choice_named("oversubscription"), c.recipe.oversubscription_permille != 0);
  matters(choice_named("routing"), c.recipe.routing != 0);
  matters(choice_named("placement"), c.recipe.placement != machine::Placement::packed);
  matters(choice_named("placement_seed"),
          c.recipe.placement == machine::Placement::scattered && c.recipe.placement_seed != 0);
  matters(choice_named("fp8_recipe"), c.precision == machine::Precision::fp8);
  matters(choice_named("fp8_gather"), narrow && !alone && c.zero != ZeroStage::none);
  matters(choice_named("cp_comm"), d.context > 1);
  matters(choice_named("cp_inner"), d.context > 1 && c.recipe.cp_comm == training::ContextComm::hybrid);
  matters(choice_named("scatter_gather"), piped && d.tensor > 1 && !c.sequence_parallel);
  matters(choice_named("microbatch_group"), piped && schedule.interleaves && !schedule.splits_backward);
  matters(choice_named("post_validation"), piped && schedule.splits_backward);
  matters(choice_named("fsdp_prefetch"), gathers);
  matters(choice_named("fsdp_reshard"), gathers);
  matters(choice_named("no_sync"), !alone && c.zero >= ZeroStage::gradients);
  matters(choice_named("recompute_modules"), c.recompute == Recompute::selective);
  matters(choice_named("recompute_method"), c.recompute == Recompute::full);
  matters(choice_named("recompute_layers"), c.recompute == Recompute::full);
  matters(choice_named("dispatch"), spreads);
  matters(choice_named("overlaps_shared_experts"), spreads && model.shared_expert_hidden > 0);
  matters(choice_named("overlap_ep"), spreads);
  matters(choice_named("capacity_factor"), model.has_experts());
  matters(choice_named("expert_imbalance"), model.has_experts());
  matters(choice_named("packed_tokens"), c.recipe.packed_tokens != 0);
  matters(choice_named("lora_targets"), c.recipe.lora_rank > 0);
  const bool generic = c.recipe.collectives == ops::CollectiveModel::generic;
  matters(choice_named("collectives"), generic);
  matters(choice_named("generic_algorithm"), generic);
  const bool chunks = generic && (c.recipe.generic_algorithm == ops::GenericAlgorithm::best ||
                                  c.recipe.generic_algorithm == ops::GenericAlgorithm::hierarchical);
  matters(choice_named("generic_chunks"), chunks);
  matters(choice_named("generic_order"), chunks);
  matters(choice_named("generic_queue"), chunks);
}

bool matters_to_trace(Axis axis) {
  using training::choice_named;
  for (const Axis one : {Axis::cluster, Axis::gpu, Axis::framework, Axis::gpus, Axis::dp, Axis::nccl_version})
    if (axis == one) return true;
  for (const std::int32_t choice :
       {choice_named("kernel_library"), choice_named("cuda_graphs"), choice_named("topology"),
        choice_named("oversubscription"), choice_named("routing"), choice_named("placement"),
        choice_named("placement_seed"), choice_named("nccl_algo"), choice_named("nccl_proto"),
        choice_named("nccl_min_nchannels"), choice_named("nccl_max_nchannels"),
        choice_named("nccl_max_p2p_nchannels"), choice_named("comm_library"), choice_named("comm_kernels"),
        choice_named("collectives"), choice_named("generic_algorithm"), choice_named("generic_chunks"),
        choice_named("generic_order"), choice_named("generic_queue")})
    if (axis == axis_of_choice(choice)) return true;
  return false;
}

AxisSet irrelevant_axes(const TrainingConfig& config, const simulate::Catalog& catalog) {
  AxisSet found;
  if (!catalog.model(config.model).trace.is_none()) {
    found = axes_that_may_not_matter();
    for (const AxisInfo& info : axis_table)
      if (matters_to_trace(info.axis)) found.reset(at(info.axis));
    if (repeats_version(config, catalog)) found.set(at(Axis::nccl_version));
    add_idle_choices(config, catalog, found);
    return found;
  }
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
  if (alone || config.zero == training::ZeroStage::none) add({Axis::zero_group});
  if (alone || config.zero == training::ZeroStage::none) add({Axis::overlap_param_gather});
  if (catalog.model(config.model).experts == 0) add({Axis::etp});
  if (repeats_version(config, catalog)) add({Axis::nccl_version});
  add_idle_choices(config, catalog, found);
  return found;
}

AxisSet axes_that_may_not_matter() {
  AxisSet all;
  for (const Axis axis :
       {Axis::vpp, Axis::schedule, Axis::overlap_p2p, Axis::embedding_is_layer, Axis::loss_is_layer,
        Axis::layer_split, Axis::sequence_parallel, Axis::overlap_tp, Axis::zero, Axis::overlap_grad_reduce,
        Axis::overlap_param_gather, Axis::etp, Axis::nccl_version, Axis::zero_group})
    all.set(at(axis));
  for (std::int32_t i = 0; i < training::choice_count; ++i) all.set(at(axis_of_choice(i)));
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
  drop(Axis::nccl_version, config.nccl_version, 0);
  drop(Axis::zero_group, config.zero_group, 0);
  static const training::Recipe plain_recipe;
  for (std::int32_t i = 0; i < training::choice_count; ++i) {
    const training::Choice& choice = training::recipe_choices()[static_cast<std::size_t>(i)];
    if (irrelevant.test(at(axis_of_choice(i)))) choice.set(config.recipe, choice.get(plain_recipe));
  }
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

static void describe_recipe(const training::Recipe& recipe, std::string& text) {
  static const training::Recipe plain;
  for (const training::Choice& choice : training::recipe_choices()) {
    const std::int32_t value = choice.get(recipe);
    if (value != choice.get(plain)) text += fmt::format("{}={};", choice.name, value);
  }
}

std::string canonical_text(const TrainingConfig& config, const simulate::Catalog& catalog) {
  const training::Degrees& d = config.degrees;
  std::string text = fmt::format("model={};cluster={};gpu={};framework={};", catalog.model(config.model).name,
                                 catalog.cluster(config.cluster).name, catalog.gpu(config).name,
                                 catalog.framework(config.framework).name);
  if (!catalog.model(config.model).trace.is_none())
    text += fmt::format("trace={};", catalog.model(config.model).source);
  text += fmt::format("tp={};pp={};dp={};cp={};ep={};etp={};vpp={};", d.tensor, d.pipeline, d.data, d.context,
                      d.expert, d.expert_tensor, d.virtual_stages);
  text += fmt::format("micro_batch={};global_batch={};seq_len={};", config.batch.micro_samples,
                      config.batch.global_samples, config.batch.sequence_tokens);
  text += fmt::format(
      "schedule={};recompute={};zero={};precision={};", simulate::schedule_of(config, catalog).name,
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
  describe_recipe(config.recipe, text);
  if (config.nccl_version != 0) text += fmt::format("nccl_version={};", config.nccl_version);
  return text;
}

std::uint64_t config_id_of(const TrainingConfig& config, const simulate::Catalog& catalog) {
  const std::string text = canonical_text(normalised(config, catalog), catalog);
  return hash64(std::as_bytes(std::span(text)));
}

}  // namespace echo::sweep
