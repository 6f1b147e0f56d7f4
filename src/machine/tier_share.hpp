// What one GPU has of a memory tier while all GPUs of its job use theirs alike.
#pragma once

#include "machine/cluster.hpp"

namespace echo::machine {

// The host's memory is the first tier: both rates are ClusterSpec::host_memory.
[[nodiscard]] TierSpec tier_of(const ClusterSpec&, MemoryTier);

// Bytes per second of one GPU. Contract: the tier is known.
struct TierShare {
  double read = 0.0, write = 0.0;
  SimTime latency{};
};
[[nodiscard]] TierShare share_of(const ClusterSpec&, MemoryTier, std::int32_t gpus_of_job);

// Bytes of the tier per GPU; 0 = unknown, or there is none.
[[nodiscard]] double capacity_per_gpu(const ClusterSpec&, MemoryTier, std::int32_t gpus_of_job);

}  // namespace echo::machine
