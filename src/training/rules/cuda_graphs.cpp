// Graphs of parts of layers, of their passes, or of the whole iteration, as Megatron-LM captures them.
// Dropless experts have no fixed shapes, but graphs of the iteration hold buffers for 1.5 times the mean load
// (Megatron Core 0.18: cuda_graph_impl full_iteration, moe_paged_stash; Megatron-Bridge v0.5.0
// set_full_iter_cg_configs).
#include "training/rules/rule_sets.hpp"

namespace echo::training::rules {

namespace {

constexpr SupportRule graph_rules[] = {
    {{"CUDA graphs of a layer cannot hold its full recomputation", "cuda_graphs recompute"},
     [](const Attempt& a) { return a.config.recompute != Recompute::full; }},
    {{"CUDA graphs of a layer need weights that stay in place", "cuda_graphs zero offload_weights"},
     [](const Attempt& a) {
       return a.config.zero < ZeroStage::parameters && !a.config.recipe.offload_weights;
     }},
    {{"CUDA graphs cannot hold activations that leave for host memory", "cuda_graphs offload_layers"},
     [](const Attempt& a) { return a.config.recipe.offload_layers == 0; }},
};

bool captures(const Attempt& a, GraphModule module) {
  return (a.config.recipe.cuda_graph_modules & static_cast<std::int32_t>(module)) != 0;
}

constexpr SupportRule module_rules[] = {
    {{"CUDA graphs of parts of a layer do not go with the recomputation of all of it",
      "cuda_graph_modules cuda_graphs recompute"},
     [](const Attempt& a) {
       return a.config.recompute == Recompute::none || a.config.recompute == Recompute::selective;
     }},
    {{"CUDA graphs of parts of a layer need weights that stay in place",
      "cuda_graph_modules cuda_graphs zero offload_weights"},
     [](const Attempt& a) {
       return a.config.zero < ZeroStage::parameters && !a.config.recipe.offload_weights;
     }},
    {{"CUDA graphs of parts of a layer do not go with the offloading of activations",
      "cuda_graph_modules cuda_graphs offload_layers"},
     [](const Attempt& a) { return a.config.recipe.offload_layers == 0; }},
    {{"a dispatcher's preparation is captured with the router before it", "cuda_graph_modules cuda_graphs"},
     [](const Attempt& a) {
       return !captures(a, GraphModule::moe_preprocess) || captures(a, GraphModule::moe_router);
     }},
    {{"a router can be captured where there are experts", "cuda_graph_modules cuda_graphs model"},
     [](const Attempt& a) { return !captures(a, GraphModule::moe_router) || a.model.has_experts(); }},
    {{"the recomputation of a mixture would begin before the graph of its router and end behind it",
      "cuda_graph_modules cuda_graphs recompute recompute_modules"},
     [](const Attempt& a) {
       return !captures(a, GraphModule::moe_router) || a.config.recompute != Recompute::selective ||
              !a.config.recipe.recomputes(Module::moe);
     }},
};

}  // namespace

extern const RuleSet graph_modules{
    "Megatron-LM core/transformer/transformer_config.py, transformer_layer.py",
    [](const Attempt& a) { return a.config.recipe.cuda_graph_modules != 0 && !a.config.recipe.cuda_graphs; },
    module_rules};

extern const RuleSet cuda_graphs{
    "Megatron-LM core/transformer/transformer_config.py, core/distributed/fsdp/mcore_fsdp_adapter.py",
    [](const Attempt& a) { return a.config.recipe.cuda_graphs; }, graph_rules};

}  // namespace echo::training::rules
