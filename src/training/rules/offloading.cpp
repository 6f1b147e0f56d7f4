#include "training/rules/rule_sets.hpp"

namespace echo::training::rules {

namespace {

constexpr SupportRule offload_rules[] = {
    {{"an optimizer in host memory needs sharded optimizer states (ZeRO-1 or more)",
      "offload_optimizer zero dp cp"},
     [](const Attempt& a) {
       const Degrees& d = a.config.degrees;
       return !a.config.recipe.offload_optimizer || a.config.zero >= ZeroStage::optimizer ||
              d.data * d.context == 1;
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
      "offload_optimizer offload_layers cluster gpu"},
     [](const Attempt& a) {
       const Recipe& r = a.config.recipe;
       return (!r.offload_optimizer && r.offload_layers == 0) ||
              (a.gpu.host_link.value > 0 && a.cluster.host_memory.value > 0);
     }},
};

}  // namespace

extern const RuleSet offloading{
    "DeepSpeed docs, offload_optimizer (valid for ZeRO stages 1, 2, 3); Megatron-LM "
    "core/transformer/transformer_config.py (cpu_offloading)",
    nullptr, offload_rules};

}  // namespace echo::training::rules
