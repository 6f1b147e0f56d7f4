#include "training/rules/rule_sets.hpp"

namespace echo::training::rules {

namespace {

constexpr SupportRule fused_expert_rules[] = {
    {{"fused experts need a Blackwell GPU", "fused_grouped_mlp model cluster gpu"},
     [](const Attempt& a) { return a.gpu.compute_capability / 10 == 10; }},
    {{"fused experts need mxfp8", "fused_grouped_mlp model precision"},
     [](const Attempt& a) { return a.config.precision == Precision::mxfp8; }},
    {{"fused experts cannot be split: etp 1", "fused_grouped_mlp model etp"},
     [](const Attempt& a) { return a.config.degrees.expert_tensor == 1; }},
    {{"fused experts need a gated activation", "fused_grouped_mlp model"},
     [](const Attempt& a) { return a.model.gated_ffn; }},
};

}  // namespace

extern const RuleSet fused_experts{
    "Transformer Engine 2.14 pytorch/ops/fused/forward_grouped_mlp.py (is_supported, fuse_grouped_mlp_ops), "
    "Megatron-LM 0.18 core/transformer/moe/experts.py (_is_fused_impl_supported)",
    [](const Attempt& a) { return a.config.recipe.fused_grouped_mlp && a.model.has_experts(); },
    fused_expert_rules};

}  // namespace echo::training::rules
