// The requirements of --overlap-moe-expert-parallel-comm; the schedule tests that a pipeline has virtual
// stages.
#include "training/rules/rule_sets.hpp"

namespace echo::training::rules {

namespace {

constexpr SupportRule overlap_rules[] = {
    {{"all-to-alls beside another microbatch need expert parallelism", "overlap_ep ep"},
     [](const Attempt& a) { return a.config.degrees.expert > 1; }},
    {{"all-to-alls beside another microbatch forbid full recomputation", "overlap_ep recompute"},
     [](const Attempt& a) { return a.config.recompute != Recompute::full; }},
    {{"all-to-alls beside another microbatch forbid recomputing mixtures",
      "overlap_ep recompute recompute_modules"},
     [](const Attempt& a) {
       return a.config.recompute != Recompute::selective || !a.config.recipe.recomputes(Module::moe);
     }},
    {{"all-to-alls beside another microbatch need a 16-bit model", "overlap_ep precision"},
     [](const Attempt& a) {
       return a.config.precision != Precision::fp32 && a.config.precision != Precision::tf32;
     }},
    {{"all-to-alls beside another microbatch are for transformers", "overlap_ep model"},
     [](const Attempt& a) { return a.model.mamba.heads == 0; }},
    {{"shared experts run beside their own all-to-alls or beside another microbatch, not both",
      "overlap_ep overlaps_shared_experts model"},
     [](const Attempt& a) {
       return !a.config.recipe.overlaps_shared_experts || a.model.shared_expert_hidden == 0;
     }},
    {{"all-to-alls beside another microbatch allow one layer of multi-token prediction",
      "overlap_ep mtp_layers"},
     [](const Attempt& a) { return a.config.recipe.mtp_layers <= 1; }},
    {{"all-to-alls beside another microbatch with offloaded activations are not simulated yet",
      "overlap_ep offload_layers"},
     [](const Attempt& a) { return a.config.recipe.offload_layers == 0; }},
    {{"all-to-alls beside another microbatch with sharded gradients are not simulated yet",
      "overlap_ep zero offload_weights"},
     [](const Attempt& a) {
       return a.config.zero < ZeroStage::gradients && !a.config.recipe.offload_weights;
     }},
};

}  // namespace

extern const RuleSet expert_overlap{"Megatron-LM core/transformer/transformer_config.py",
                                    [](const Attempt& a) { return a.config.recipe.overlap_ep; },
                                    overlap_rules};

}  // namespace echo::training::rules
