// Where the optimizer's states live in the host's memory its processors move the bytes of the update, except
// for the clipping, which is part of it. Gradients that were not sent as they came go to the host first, and
// 16-bit weights are copied back when it has ended: DeepSpeed copies when its update has ended, Megatron's
// hybrid optimizer waits for each leg unless configured to overlap them. States in a tier behind the host's
// memory are read from there and written back meanwhile. Weights that live beyond the GPU do not return to
// it: the update has written them to the host's memory, and what lives behind it goes on; if the GPU updates,
// it sends them. Sources: DeepSpeed runtime/zero/stage_1_and_2.py (gradients leave as they are reduced),
// runtime/swap_tensor/pipelined_optimizer_swapper.py; Megatron-LM
// core/optimizer/cpu_offloading/hybrid_optimizer.py. Neglected: sums of microbatches' gradients in the host's
// memory.
#include "workload/traffic/update_legs.hpp"

#include <cmath>

#include "training/memory/number_formats.hpp"
#include "workload/traffic/step_tail.hpp"
#include "workload/traffic/tier_copy.hpp"

namespace echo::workload {

using machine::MemoryTier;

namespace {

// The host's processors move `bytes`, of which a tier, where it is not the host's memory, gives and takes.
ops::CollectiveQuery host_update(const BlockContext& x, std::int64_t bytes, MemoryTier tier,
                                 std::int64_t read, std::int64_t written) {
  ops::CollectiveQuery update{.kind = ops::CollectiveKind::host_update, .payload = Bytes(bytes)};
  update.tier = tier_traffic(x, tier, read, written);
  return update;
}

// Master weights and moments.
std::int64_t state_bytes(const BlockContext& x, std::int64_t updated) {
  const double each = training::master_bytes(x.config) + training::moment_bytes(x.config.recipe.optimizer);
  return std::llround(static_cast<double>(updated) * each);
}

}  // namespace

UpdateLegs update_legs(const BlockContext& x, std::int64_t updated, bool gradients_are_there) {
  const training::Recipe& recipe = x.config.recipe;
  const std::int64_t weights = updated * machine::element_bytes(x.config.precision);
  UpdateLegs legs;
  if (!recipe.offload_optimizer) {
    if (recipe.offload_weights)
      legs.add(TimeCategory::other, tier_copy(x, recipe.weight_tier, Access::write, weights));
    return legs;
  }
  const std::int64_t clipping = recipe.grad_clip ? 2 * 4 : 0, states = state_bytes(x, updated);
  if (!gradients_are_there)
    legs.add(TimeCategory::other, tier_copy(x, MemoryTier::host, Access::write, updated * gradient_bytes(x)));
  legs.add(TimeCategory::optimizer, host_update(x, updated * (training::update_bytes(x.config) - clipping),
                                                recipe.optimizer_tier, states, states));
  if (!recipe.offload_weights)
    legs.add(TimeCategory::other, tier_copy(x, MemoryTier::host, Access::read, weights));
  else if (recipe.weight_tier != MemoryTier::host)
    legs.add(TimeCategory::other, host_update(x, 0, recipe.weight_tier, 0, weights));
  return legs;
}

}  // namespace echo::workload
