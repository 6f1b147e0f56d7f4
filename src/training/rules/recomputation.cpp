#include "training/rules/rule_sets.hpp"

namespace echo::training::rules {

namespace {

bool is_full(const Attempt& a) { return a.config.recompute == Recompute::full; }
bool selects(const Attempt& a) { return a.config.recompute == Recompute::selective; }

constexpr SupportRule recompute_rules[] = {
    {{"more recomputed layers than a pipeline chunk holds", "recompute recompute_layers model pp vpp"},
     [](const Attempt& a) {
       const std::int32_t chunks = chunks_of(a.config),
                          deepest_chunk = (a.model.layers + chunks - 1) / chunks;
       return !is_full(a) || a.config.recipe.recompute_layers <= deepest_chunk;
     }},
    {{"units of several recomputed layers do not come with sharded weights (ZeRO-3)",
      "recompute recompute_method recompute_layers zero dp cp offload_weights"},
     [](const Attempt& a) {
       const Recipe& r = a.config.recipe;
       return !is_full(a) || r.recompute_method != RecomputeMethod::uniform || r.recompute_layers <= 1 ||
              !runs_in_units(a.config);
     }},
    {{"per-op recomputation of Mamba layers is not simulated yet", "recompute model"},
     [](const Attempt& a) { return a.config.recompute != Recompute::per_op || a.model.mamba.heads == 0; }},
    {{"recomputing latent up-projections needs latent attention", "recompute recompute_modules model"},
     [](const Attempt& a) {
       return !selects(a) || !a.config.recipe.recomputes(Module::mla_up_proj) ||
              a.model.has_latent_attention();
     }},
    {{"shared experts beside the all-to-all cannot be recomputed by themselves",
      "recompute recompute_modules overlaps_shared_experts ep model"},
     [](const Attempt& a) {
       const Recipe& r = a.config.recipe;
       return !selects(a) || !r.recomputes(Module::shared_experts) || !r.overlaps_shared_experts ||
              a.config.degrees.expert == 1 || a.model.shared_expert_hidden == 0;
     }},
    {{"delayed scales do not come with recomputed layer norms or expert activations",
      "recompute recompute_modules precision fp8_recipe"},
     [](const Attempt& a) {
       const Recipe& r = a.config.recipe;
       const bool forms_outputs_again = r.recomputes(Module::moe_act) || r.recomputes(Module::layernorm);
       return !selects(a) || !forms_outputs_again || a.config.precision != Precision::fp8 ||
              r.fp8_recipe != Fp8Recipe::delayed;
     }},
};

}  // namespace

extern const RuleSet recomputation{"Megatron-LM megatron/core/transformer/transformer_config.py", nullptr,
                                   recompute_rules};

}  // namespace echo::training::rules
