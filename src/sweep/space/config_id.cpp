#include "sweep/space/config_id.hpp"

#include <fmt/format.h>

#include <span>

#include "base/at.hpp"
#include "base/digest.hpp"
#include "base/named_table.hpp"
#include "simulate/schedule_of.hpp"
#include "timeline/schedule.hpp"

namespace echo::sweep {

using training::TrainingConfig;

namespace {

using training::Condition;
using training::Recompute;
using training::ZeroStage;

// The values on which conditions depend.
struct Situation {
  const TrainingConfig& config;
  const training::Degrees& degrees;
  const training::ModelSpec& model;
  const timeline::Schedule& schedule;
  std::int32_t own_nccl_version;  // the cluster's
};
struct Question {
  Condition which;
  bool (*holds)(const Situation&);
};
using In = const Situation&;

// clang-format off
constexpr Question questions[] = {
    {Condition::has_stages, [](In s) { return s.degrees.pipeline > 1; }},
    {Condition::splits_tensors, [](In s) { return s.degrees.tensor > 1; }},
    {Condition::splits_sequences, [](In s) { return s.degrees.context > 1; }},
    {Condition::has_replicas, [](In s) { return s.degrees.data * s.degrees.context > 1; }},
    {Condition::sequence_parallel, [](In s) { return s.config.sequence_parallel; }},
    {Condition::whole_activations, [](In s) { return !s.config.sequence_parallel; }},
    {Condition::interleaves, [](In s) { return s.schedule.interleaves; }},
    {Condition::splits_backward, [](In s) { return s.schedule.splits_backward; }},
    {Condition::whole_backward, [](In s) { return !s.schedule.splits_backward; }},
    {Condition::shards_states, [](In s) { return s.config.zero >= ZeroStage::optimizer; }},
    {Condition::shards_gradients, [](In s) { return s.config.zero >= ZeroStage::gradients; }},
    {Condition::shards_weights, [](In s) { return s.config.zero >= ZeroStage::parameters; }},
    {Condition::has_experts, [](In s) { return s.model.has_experts(); }},
    {Condition::spreads_experts, [](In s) { return s.model.has_experts() && s.degrees.expert > 1; }},
    {Condition::has_shared_experts, [](In s) { return s.model.shared_expert_hidden > 0; }},
    {Condition::is_fp8, [](In s) { return s.config.precision == machine::Precision::fp8; }},
    {Condition::has_narrow_operands, [](In s) { return machine::operand_bytes(s.config.precision) == 1; }},
    {Condition::casts_operands, [](In s) { return machine::is_narrow(s.config.precision); }},
    {Condition::nests_exchanges, [](In s) { return s.config.recipe.cp_comm == training::ContextComm::hybrid; }},
    {Condition::recomputes_modules, [](In s) { return s.config.recompute == Recompute::selective; }},
    {Condition::recomputes_layers, [](In s) { return s.config.recompute == Recompute::full; }},
    {Condition::has_adapters, [](In s) { return s.config.recipe.lora_rank > 0; }},
    {Condition::textbook_collectives, [](In s) { return s.config.recipe.collectives == ops::CollectiveModel::generic; }},
    {Condition::may_be_hierarchical, [](In s) {
       const ops::GenericAlgorithm algorithm = s.config.recipe.generic_algorithm;
       return algorithm == ops::GenericAlgorithm::best || algorithm == ops::GenericAlgorithm::hierarchical;
     }},
    {Condition::scatters_nodes, [](In s) { return s.config.fabric.placement == machine::Placement::scattered; }},
    {Condition::names_another_nccl, [](In s) {
       return s.config.nccl_version != 0 && s.config.nccl_version != s.own_nccl_version;
     }},
};
// clang-format on

constexpr bool are_all_answered() {
  training::Conditions left = 0;
  for (const AxisInfo& info : axis_table) left |= info.needs;
  for (const Question& question : questions) left &= ~training::all_of({question.which});
  return left == 0;
}
static_assert(are_all_answered(), "a condition that axes.toml asks has no line in `questions`");

training::Conditions conditions_of(const TrainingConfig& config, const simulate::Catalog& catalog) {
  const timeline::Schedule schedule = simulate::schedule_of(config, catalog);
  const Situation situation{.config = config,
                            .degrees = config.degrees,
                            .model = catalog.model(config.model),
                            .schedule = schedule,
                            .own_nccl_version = catalog.cluster(config.cluster).nccl_version};
  training::Conditions found = 0;
  for (const Question& question : questions)
    if (question.holds(situation)) found |= training::all_of({question.which});
  return found;
}

}  // namespace

static constexpr TrainingConfig plain_config{};

// A trace fixes most axes; except for these, an axis either matters to a trace or does not, as a whole.
static bool may_be_irrelevant(const AxisInfo& info) {
  return info.needs != 0 || info.idle_at_plain || info.holder != AxisHolder::config;
}

static bool is_plain(Axis axis, const TrainingConfig& config) {
  const training::AxisMember& member = training::member_of(axis);
  return member.get(config) == member.get(plain_config);
}

AxisSet irrelevant_axes(const TrainingConfig& config, const simulate::Catalog& catalog) {
  const bool traced = !catalog.model(config.model).trace.is_none();
  const training::Conditions holding = conditions_of(config, catalog);
  AxisSet found;
  for (const AxisInfo& info : axis_table) {
    const bool idle = (info.needs & ~holding) != 0 || (info.idle_at_plain && is_plain(info.axis, config));
    if (idle || (traced && !info.of_trace && may_be_irrelevant(info))) found.set(at(info.axis));
  }
  return found;
}

AxisSet axes_that_may_not_matter() {
  AxisSet all;
  for (const AxisInfo& info : axis_table)
    if (may_be_irrelevant(info)) all.set(at(info.axis));
  return all;
}

TrainingConfig normalised(TrainingConfig config, const simulate::Catalog& catalog) {
  static const training::ScheduleId plain_schedule(find_named(timeline::schedule_table(), "1f1b"));
  const AxisSet irrelevant = irrelevant_axes(config, catalog);
  for (const AxisInfo& info : axis_table) {
    const training::AxisMember& member = training::member_of(info.axis);
    if (irrelevant.test(at(info.axis))) member.set(config, member.get(plain_config));
  }
  if (irrelevant.test(at(Axis::schedule))) config.schedule = plain_schedule;
  if (config.gpu == catalog.cluster(config.cluster).gpu) config.gpu = machine::GpuId();
  return config;
}

static void describe_layers(const TrainingConfig& config, const simulate::Catalog& catalog,
                            std::string& text) {
  if (config.layers.embedding_is_layer) text += "embedding_is_layer=true;";
  if (config.layers.loss_is_layer) text += "loss_is_layer=true;";
  if (config.layers.explicit_layers.is_none()) return;
  text += "layer_split=";
  const std::size_t table = at(config.layers.explicit_layers.index());
  for (const std::int32_t layers : catalog.layer_tables.at(table)) text += fmt::format("{},", layers);
  text += ";";
}

// Axes of the recipe and of the fabric that do not have their plain value.
static void describe_choices(const TrainingConfig& config, std::string& text) {
  for (const AxisInfo& info : axis_table)
    if (info.holder != AxisHolder::config && !is_plain(info.axis, config))
      text += fmt::format("{}={};", info.name, training::member_of(info.axis).get(config));
}

std::string canonical_text(const TrainingConfig& config, const simulate::Catalog& catalog) {
  const training::Degrees& d = config.degrees;
  std::string text = fmt::format("model={};cluster={};gpu={};framework={};", catalog.model(config.model).name,
                                 catalog.cluster(config.cluster).name, catalog.gpu(config).name,
                                 catalog.framework(config).name);
  if (!config.named_recipe.is_none())
    text += fmt::format("recipe={};", catalog.recipes.at(at(config.named_recipe)).name);
  if (!catalog.model(config.model).trace.is_none())
    text += fmt::format("trace={};", catalog.model(config.model).source);
  text += fmt::format("tp={};pp={};dp={};cp={};ep={};etp={};vpp={};", d.tensor, d.pipeline, d.data, d.context,
                      d.expert, d.expert_tensor, d.virtual_stages);
  text += fmt::format("micro_batch={};global_batch={};seq_len={};", config.batch.micro_samples,
                      config.batch.global_samples, config.batch.sequence_tokens);
  text += fmt::format("schedule={};recompute={};zero={};precision={};",
                      simulate::schedule_of(config, catalog).name,
                      training::recompute_names[at(config.recompute)], static_cast<int>(config.zero),
                      machine::precision_names[at(config.precision)]);
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
  describe_choices(config, text);
  if (config.nccl_version != 0) text += fmt::format("nccl_version={};", config.nccl_version);
  return text;
}

std::uint64_t config_id_of(const TrainingConfig& config, const simulate::Catalog& catalog) {
  const std::string text = canonical_text(normalised(config, catalog), catalog);
  return hash64(std::as_bytes(std::span(text)));
}

}  // namespace echo::sweep
