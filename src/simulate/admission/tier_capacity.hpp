// Whether what leaves a GPU fits the memory that it goes to.
#pragma once

#include <array>
#include <span>

#include "base/refusal.hpp"
#include "machine/cluster.hpp"
#include "training/config.hpp"
#include "training/memory/stage_holds.hpp"

namespace echo::simulate {

// Bytes that one GPU has in each tier; [MemoryTier].
using TierUse = std::array<double, machine::memory_tier_count>;
[[nodiscard]] TierUse tier_use(const training::TrainingConfig&, const training::StageHolds&,
                               std::int32_t in_flight);

// The first tier whose capacity is known and too small for GPUs that all use `most`; none where all fit.
[[nodiscard]] Refusal why_tiers_cannot(const training::TrainingConfig&, const machine::ClusterSpec&,
                                       const TierUse& most);
// All that it may answer.
[[nodiscard]] std::span<const Refusal> tier_refusals();

}  // namespace echo::simulate
