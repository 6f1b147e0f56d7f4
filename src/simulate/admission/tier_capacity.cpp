// Optimizer states, weights and activations that leave the GPU are in the tiers of their axes, gradients that
// wait for the host's processors in its own memory. Every GPU is given what the fullest stage has: where
// stages share a memory this is an upper bound. Neglected: what else lives in the host's memory (the
// operating system, data loaders, buffers of the tiers behind it).
#include "simulate/admission/tier_capacity.hpp"

#include "base/at.hpp"
#include "machine/tier_share.hpp"

namespace echo::simulate {

namespace {

using machine::MemoryTier;

constexpr const char* looks_at =
    "offload_optimizer optimizer_tier offload_layers activation_tier offload_weights weight_tier zero "
    "cluster "
    "model";
constexpr std::array<Refusal, machine::memory_tier_count> refusals{
    Refusal{"what leaves the GPU does not fit the host's memory", looks_at},
    Refusal{"what leaves the GPU does not fit the CXL memory", looks_at},
    Refusal{"what leaves the GPU does not fit the NVMe drives", looks_at},
    Refusal{"what leaves the GPU does not fit the remote memory pool", looks_at}};

}  // namespace

TierUse tier_use(const training::TrainingConfig& c, const training::StageHolds& holds,
                 std::int32_t in_flight) {
  TierUse use{};
  use[at(c.recipe.optimizer_tier)] += holds.states.states_away;
  use[at(MemoryTier::host)] += holds.states.grads_away;
  use[at(c.recipe.weight_tier)] += holds.states.weights_away;
  use[at(c.recipe.activation_tier)] += holds.activations.away * in_flight;
  return use;
}

Refusal why_tiers_cannot(const training::TrainingConfig& c, const machine::ClusterSpec& cluster,
                         const TierUse& most) {
  for (std::int32_t i = 0; i < machine::memory_tier_count; ++i) {
    const double capacity =
        machine::capacity_per_gpu(cluster, static_cast<MemoryTier>(i), training::gpus_of(c.degrees));
    if (capacity > 0.0 && most[at(i)] > capacity) return refusals[at(i)];
  }
  return {};
}

std::span<const Refusal> tier_refusals() { return refusals; }

}  // namespace echo::simulate
