// Whether shared experts run beside the transfers of the routed ones if the config leaves it to the
// framework.
#pragma once

#include "training/framework.hpp"

namespace echo::training {

// Megatron refuses both overlaps at once, and a recipe that overlaps the expert all-to-alls of one microbatch
// with another one's computation switches that of the shared experts off. Source: Megatron-LM
// core/transformer/transformer_config.py (overlap_moe_expert_parallel_comm); Megatron-Bridge
// scripts/performance/utils/overrides.py (_set_moe_a2a_overlap_overrides).
[[nodiscard]] inline bool overlaps_shared_experts(const FrameworkSpec& framework, bool overlap_ep) {
  return framework.recipe.overlaps_shared_experts && !overlap_ep;
}

}  // namespace echo::training
