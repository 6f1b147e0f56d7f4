#include "sweep/space/config_id.hpp"

#include <span>
#include <utility>

#include "base/at.hpp"
#include "base/digest.hpp"
#include "base/named_table.hpp"
#include "simulate/schedule_of.hpp"
#include "sweep/space/canonical_text.hpp"
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
  bool given_by_dimensions;       // the cluster is
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
       return s.given_by_dimensions || algorithm == ops::GenericAlgorithm::best ||
              algorithm == ops::GenericAlgorithm::hierarchical;
     }},
    {Condition::scatters_nodes, [](In s) { return s.config.fabric.placement == machine::Placement::scattered; }},
    {Condition::names_another_nccl, [](In s) {
       return s.config.nccl_version != 0 && s.config.nccl_version != s.own_nccl_version;
     }},
    {Condition::runs_in_units, [](In s) { return training::runs_in_units(s.config); }},
    {Condition::offloads_optimizer, [](In s) { return s.config.recipe.offload_optimizer; }},
    {Condition::offloads_activations, [](In s) { return s.config.recipe.offload_layers > 0; }},
    {Condition::offloads_weights, [](In s) { return s.config.recipe.offload_weights; }},
    {Condition::has_nics, [](In s) { return !s.given_by_dimensions; }},
    {Condition::issues_passes, [](In s) { return !s.config.recipe.cuda_graphs; }},
    {Condition::overlaps_products, [](In s) { return s.config.overlap.tensor; }},
};
// clang-format on

constexpr bool are_all_answered() {
  training::Conditions left = 0;
  for (const AxisInfo& info : axis_table) left |= info.needs;
  for (const Question& question : questions) left &= ~training::all_of({question.which});
  return left == 0;
}
static_assert(are_all_answered(), "a condition that axes.toml asks has no line in `questions`");

// Unrolled: every question is answered at every point of a space.
template <std::size_t... i>
training::Conditions answers_to(In situation, std::index_sequence<i...>) {
  return ((questions[i].holds(situation) ? training::all_of({questions[i].which}) : training::Conditions{}) |
          ...);
}

}  // namespace

training::Conditions conditions_of(const TrainingConfig& config, const simulate::Catalog& catalog) {
  const timeline::Schedule schedule = simulate::schedule_of(config, catalog);
  const Situation situation{.config = config,
                            .degrees = config.degrees,
                            .model = catalog.model(config.model),
                            .schedule = schedule,
                            .own_nccl_version = catalog.cluster(config.cluster).nccl_version,
                            .given_by_dimensions = catalog.cluster(config.cluster).dimensions.is_given()};
  return answers_to(situation, std::make_index_sequence<std::size(questions)>());
}

static constexpr TrainingConfig plain_config{};

bool may_be_irrelevant(const AxisInfo& info) {
  return info.needs != 0 || info.idle_at_plain || info.holder != AxisHolder::config;
}

bool is_plain(Axis axis, const TrainingConfig& config) {
  const training::AxisMember& member = training::member_of(axis);
  return member.get(config) == member.get(plain_config);
}

bool is_irrelevant(const AxisInfo& info, const TrainingConfig& config, training::Conditions holding,
                   bool traced) {
  return (info.needs & ~holding) != 0 || (info.idle_at_plain && is_plain(info.axis, config)) ||
         (traced && !info.of_trace && may_be_irrelevant(info));
}

AxisSet irrelevant_axes(const TrainingConfig& config, const simulate::Catalog& catalog) {
  const bool traced = !catalog.model(config.model).trace.is_none();
  const training::Conditions holding = conditions_of(config, catalog);
  AxisSet found;
  for (const AxisInfo& info : axis_table)
    if (is_irrelevant(info, config, holding, traced)) found.set(at(info.axis));
  return found;
}

AxisSet axes_that_may_not_matter() {
  AxisSet all;
  for (const AxisInfo& info : axis_table)
    if (may_be_irrelevant(info)) all.set(at(info.axis));
  return all;
}

void make_plain(Axis axis, TrainingConfig& config) {
  static const training::ScheduleId plain_schedule(find_named(timeline::schedule_table(), "1f1b"));
  if (axis == Axis::schedule) {
    config.schedule = plain_schedule;
    return;
  }
  const training::AxisMember& member = training::member_of(axis);
  member.set(config, member.get(plain_config));
}

TrainingConfig normalised(TrainingConfig config, const simulate::Catalog& catalog) {
  const AxisSet irrelevant = irrelevant_axes(config, catalog);
  for (const AxisInfo& info : axis_table)
    if (irrelevant.test(at(info.axis))) make_plain(info.axis, config);
  if (config.gpu == catalog.cluster(config.cluster).gpu) config.gpu = machine::GpuId();
  return config;
}

std::uint64_t config_id_of(const TrainingConfig& config, const simulate::Catalog& catalog) {
  const std::string text = canonical_text(normalised(config, catalog), catalog);
  return hash64(std::as_bytes(std::span(text)));
}

}  // namespace echo::sweep
