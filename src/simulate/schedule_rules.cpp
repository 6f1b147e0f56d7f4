#include "simulate/schedule_rules.hpp"

#include <algorithm>

#include "simulate/admission/tier_capacity.hpp"
#include "simulate/replay/replay_shape.hpp"
#include "simulate/simulated_step.hpp"
#include "timeline/patterns/given_order.hpp"
#include "training/support_rule.hpp"

namespace echo::simulate {

namespace {

struct ScheduleRule {
  Refusal otherwise;
  bool (*holds)(const training::TrainingConfig&, const timeline::Schedule&);
};

bool splits(const timeline::Schedule& schedule) {
  return schedule.splits_backward || schedule.mixes_backwards;
}

constexpr ScheduleRule schedule_rules[] = {
    {{"a split backward with sharded gradients or weights is not simulated yet",
      "schedule zero offload_weights"},
     [](const training::TrainingConfig& c, const timeline::Schedule& schedule) {
       return !splits(schedule) || (c.zero <= training::ZeroStage::optimizer && !c.recipe.offload_weights);
     }},
    {{"this schedule runs no forward and backward as one: no all-to-all beside another microbatch",
      "schedule overlap_ep"},
     [](const training::TrainingConfig& c, const timeline::Schedule& schedule) {
       return !c.recipe.overlap_ep || schedule.pairs != timeline::Pairs::never;
     }},
    {{"a split backward of a frozen model is not simulated yet", "schedule lora_rank"},
     [](const training::TrainingConfig& c, const timeline::Schedule& schedule) {
       return (!splits(schedule) && schedule.pairs != timeline::Pairs::always) || c.recipe.lora_rank == 0;
     }},
    {{"this schedule puts off no weight gradients", "schedule deferred_wgrads"},
     [](const training::TrainingConfig& c, const timeline::Schedule& schedule) {
       return training::deferred_microbatches(c) == 0 || schedule.splits_backward || schedule.defers;
     }},
    {{"weight gradients put off beside forwards and backwards that run as one, "
      "or beside activations that are offloaded, are not simulated yet",
      "deferred_wgrads overlap_ep offload_layers"},
     [](const training::TrainingConfig& c, const timeline::Schedule&) {
       return training::deferred_microbatches(c) == 0 ||
              (!c.recipe.overlap_ep && c.recipe.offload_layers == 0);
     }},
};

std::vector<Refusal> listed_refusals() {
  std::vector<Refusal> all = replay_refusals(), others = refusals_of_configs();
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

}  // namespace

std::vector<Refusal> refusals_of_configs() {
  std::vector<Refusal> all;
  for (const training::RuleSet* const set : training::rule_sets())
    for (const training::SupportRule& rule : set->rules) all.push_back(rule.otherwise);
  for (const ScheduleRule& rule : schedule_rules) all.push_back(rule.otherwise);
  for (const timeline::Schedule* const schedule : timeline::schedule_table())
    for (const timeline::ShapeRule& rule : schedule->rules) all.push_back(rule.otherwise);
  for (const timeline::ShapeRule& rule : timeline::given_order_rules()) all.push_back(rule.otherwise);
  for (const Refusal& refusal : tier_refusals()) all.push_back(refusal);
  return all;
}

Refusal why_schedule_cannot(const training::TrainingConfig& config, const timeline::Schedule& schedule,
                            const training::RankLayout& layout) {
  for (const ScheduleRule& rule : schedule_rules)
    if (!rule.holds(config, schedule)) return rule.otherwise;
  return schedule.refuses(pipeline_shape(config, layout, schedule));
}

const std::vector<Refusal>& all_refusals() {
  static const std::vector<Refusal> all = listed_refusals();
  return all;
}

Refusal refusal_of(std::int32_t code) {
  const auto& all = all_refusals();
  const auto found = std::ranges::find(all, code, [](const Refusal& one) { return code_of(one); });
  return found == all.end() || code == 0 ? Refusal{} : *found;
}

Refusal refusal_named(std::string_view word) {
  for (const Refusal& one : all_refusals())
    if (word_of(one) == word) return one;
  return {};
}

}  // namespace echo::simulate
