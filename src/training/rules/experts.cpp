#include "training/layout/expert_load.hpp"
#include "training/rules/rule_sets.hpp"

namespace echo::training::rules {

namespace {

std::int32_t ranks_of(const TrainingConfig& c) {
  return c.degrees.tensor * c.degrees.context * c.degrees.data;
}
std::int32_t grid_of(const TrainingConfig& c) { return c.degrees.expert * c.degrees.expert_tensor; }

constexpr SupportRule dense_rules[] = {
    {{"expert parallelism needs a mixture-of-experts model", "ep etp model"},
     [](const Attempt& a) { return grid_of(a.config) == 1; }},
};

constexpr SupportRule expert_rules[] = {
    {{"ep * etp must divide tp * cp * dp", "ep etp tp cp dp model"},
     [](const Attempt& a) { return ranks_of(a.config) % grid_of(a.config) == 0; }},
    {{"expert degree must divide the experts", "ep model"},
     [](const Attempt& a) { return a.model.experts % a.config.degrees.expert == 0; }},
    {{"expert-tensor degree must divide the experts' feed-forward width", "etp model"},
     [](const Attempt& a) { return a.model.expert_ffn_hidden % a.config.degrees.expert_tensor == 0; }},
    {{"tensor degree must divide the shared experts' width", "tp model"},
     [](const Attempt& a) { return a.model.shared_expert_hidden % a.config.degrees.tensor == 0; }},
    {{"mixtures of experts under tensor parallelism need sequence parallelism", "tp sequence_parallel model"},
     [](const Attempt& a) { return a.config.degrees.tensor == 1 || a.config.sequence_parallel; }},
    {{"experts' loads cannot vary that much", "expert_imbalance model"},
     [](const Attempt& a) {
       const std::int32_t permille = a.config.recipe.imbalance_permille;
       return permille == 0 || permille <= 1000.0 * greatest_imbalance(a.model);
     }},
    {{"shard groups must divide the experts' data-parallel ranks as well", "zero_group dp cp tp ep etp model"},
     [](const Attempt& a) {
       const TrainingConfig& c = a.config;
       const std::int32_t instances =
           c.zero_group > 0 ? c.degrees.data * c.degrees.context / c.zero_group : 1;
       return ranks_of(c) / grid_of(c) % instances == 0;
     }},
};

constexpr const char* source =
    "Megatron-LM megatron/core/parallel_state.py, transformer/transformer_config.py, moe/moe_layer.py";

}  // namespace

extern const RuleSet dense_models{source, [](const Attempt& a) { return !a.model.has_experts(); },
                                  dense_rules};
extern const RuleSet experts{source, [](const Attempt& a) { return a.model.has_experts(); }, expert_rules};

}  // namespace echo::training::rules
