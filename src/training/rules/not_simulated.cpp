// Choices that a framework offers and this version does not simulate.
#include "training/rules/rule_sets.hpp"

namespace echo::training::rules {

namespace {

bool has_plain_layers(const ModelSpec& m) {
  return !m.has_experts() && !m.has_latent_attention() && m.layer_pattern.empty();
}

bool casts_attention(const TrainingConfig& c) {
  return c.recipe.fp8_attention && machine::is_narrow(c.precision);
}

constexpr SupportRule not_simulated_rules[] = {
    {{"packed documents need fused attention", "packed_tokens flash_attention"},
     [](const Attempt& a) { return a.config.recipe.packed_tokens == 0 || a.config.flash_attention; }},
    {{"packed documents under context parallelism need gathered keys (cp_comm = \"all_gather\")",
      "packed_tokens cp cp_comm"},
     [](const Attempt& a) {
       const Recipe& r = a.config.recipe;
       return r.packed_tokens == 0 || a.config.degrees.context == 1 || r.cp_comm == ContextComm::all_gather;
     }},
    {{"packed documents in Mamba layers are not simulated yet", "packed_tokens model"},
     [](const Attempt& a) { return a.config.recipe.packed_tokens == 0 || a.model.layer_pattern.empty(); }},
    {{"attention in 8 bit needs fused attention", "fp8_attention precision flash_attention"},
     [](const Attempt& a) { return !casts_attention(a.config) || a.config.flash_attention; }},
    {{"attention in 8 bit does not come with gathered keys and values", "fp8_attention precision cp cp_comm"},
     [](const Attempt& a) {
       return !casts_attention(a.config) || a.config.degrees.context == 1 ||
              a.config.recipe.cp_comm != ContextComm::all_gather;
     }},
    {{"adapters of mixtures, latent attention and Mamba layers are not simulated yet", "lora_rank model"},
     [](const Attempt& a) { return a.config.recipe.lora_rank == 0 || has_plain_layers(a.model); }},
    {{"adapters beside multi-token prediction are not simulated yet", "lora_rank mtp_layers"},
     [](const Attempt& a) { return a.config.recipe.lora_rank == 0 || a.config.recipe.mtp_layers == 0; }},
    {{"per-op recomputation of adapters is not simulated yet", "lora_rank recompute"},
     [](const Attempt& a) {
       return a.config.recipe.lora_rank == 0 || a.config.recompute != Recompute::per_op;
     }},
};

}  // namespace

extern const RuleSet not_simulated{"this simulator", nullptr, not_simulated_rules};

}  // namespace echo::training::rules
