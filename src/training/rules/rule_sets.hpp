// The sets of rules, one file each, and what several of them ask.
#pragma once

#include "training/support_rule.hpp"

namespace echo::training::rules {

extern const RuleSet general, not_simulated, context, mamba, cuda_graphs, graph_modules, fused_experts,
    formats, offloading, expert_overlap, multi_token, recomputation, dense_models, experts, given_machines;

}  // namespace echo::training::rules
