#include "machine/tier_share.hpp"
#include "training/rules/rule_sets.hpp"

namespace echo::training::rules {

namespace {

using machine::MemoryTier;

bool leaves_the_gpu(const Recipe& r) {
  return r.offload_optimizer || r.offload_layers > 0 || r.offload_weights;
}

// Its processors or its own memory; a copy to a tier behind it needs neither.
bool needs_the_host(const Recipe& r) {
  return r.offload_optimizer || (r.offload_layers > 0 && r.activation_tier == MemoryTier::host) ||
         (r.offload_weights && r.weight_tier == MemoryTier::host);
}

bool is_replicated(const TrainingConfig& c) { return c.degrees.data * c.degrees.context > 1; }

bool has_tier(const Attempt& a, bool is_used, MemoryTier tier) {
  return !is_used || tier == MemoryTier::host || machine::tier_of(a.cluster, tier).is_known();
}

constexpr SupportRule offload_rules[] = {
    {{"an optimizer in host memory needs sharded optimizer states (ZeRO-1 or more)",
      "offload_optimizer zero dp cp"},
     [](const Attempt& a) {
       return !a.config.recipe.offload_optimizer || a.config.zero >= ZeroStage::optimizer ||
              !is_replicated(a.config);
     }},
    {{"activations of all layers but one can wait in host memory at most", "offload_layers model"},
     [](const Attempt& a) { return a.config.recipe.offload_layers < a.model.layers; }},
    {{"activations do not wait in host memory under pipeline parallelism", "offload_layers pp"},
     [](const Attempt& a) { return a.config.recipe.offload_layers == 0 || a.config.degrees.pipeline == 1; }},
    {{"activations that are recomputed do not wait in host memory", "offload_layers recompute"},
     [](const Attempt& a) {
       return a.config.recipe.offload_layers == 0 || a.config.recompute == Recompute::none;
     }},
    {{"the catalog does not say how fast the GPU's link to its host and the host's memory are",
      "offload_optimizer offload_layers activation_tier offload_weights weight_tier cluster gpu"},
     [](const Attempt& a) {
       return (!leaves_the_gpu(a.config.recipe) || a.gpu.host_link.value > 0) &&
              (!needs_the_host(a.config.recipe) || a.cluster.host_memory.value > 0);
     }},
    {{"weights beyond the GPU need sharded weights (ZeRO-3) where data-parallel ranks have copies",
      "offload_weights zero dp cp"},
     [](const Attempt& a) {
       return !a.config.recipe.offload_weights || a.config.zero >= ZeroStage::parameters ||
              !is_replicated(a.config);
     }},
    {{"weights in 8 or 4 bits that no data-parallel ranks share do not come from beyond the GPU yet",
      "offload_weights precision dp cp"},
     [](const Attempt& a) {
       return !a.config.recipe.offload_weights || !machine::is_narrow(a.config.precision) ||
              is_replicated(a.config);
     }},
    {{"the cluster has no such memory for optimizer states", "offload_optimizer optimizer_tier cluster"},
     [](const Attempt& a) {
       return has_tier(a, a.config.recipe.offload_optimizer, a.config.recipe.optimizer_tier);
     }},
    {{"the cluster has no such memory for activations", "offload_layers activation_tier cluster"},
     [](const Attempt& a) {
       return has_tier(a, a.config.recipe.offload_layers > 0, a.config.recipe.activation_tier);
     }},
    {{"the cluster has no such memory for weights", "offload_weights weight_tier cluster"},
     [](const Attempt& a) {
       return has_tier(a, a.config.recipe.offload_weights, a.config.recipe.weight_tier);
     }},
};

}  // namespace

extern const RuleSet offloading{
    "DeepSpeed docs, offload_optimizer (valid for ZeRO stages 1, 2, 3), offload_param (stage 3); Megatron-LM "
    "core/transformer/transformer_config.py (cpu_offloading)",
    nullptr, offload_rules};

}  // namespace echo::training::rules
