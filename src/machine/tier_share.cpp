// All GPUs of a job make the same demands at the same time, so a memory that n of them share leaves each an
// n-th of its rates and of its capacity. The latency is paid once per transfer, whoever shares: requests wait
// side by side. ASTRA-sim (remote_memory_backend/analytical/AnalyticalRemoteMemory.cc) has a shared memory
// serve its requests one after the other instead, each for latency + bytes / bandwidth: the last of n alike
// ends n - 1 latencies later than here. Neglected: a pool on the network meets no collectives there.
#include "machine/tier_share.hpp"

#include <algorithm>

#include "base/at.hpp"
#include "base/contract.hpp"

namespace echo::machine {

// GPUs that have one such memory together, if each node is used whole.
static std::int32_t sharers(const ClusterSpec& cluster, TierSharing shared_by, std::int32_t gpus_of_job) {
  switch (shared_by) {
    case TierSharing::gpu:
      return 1;
    case TierSharing::node:
      return cluster.gpus_per_node;
    case TierSharing::job:
      return std::max(1, gpus_of_job);
  }
  return 1;
}

TierSpec tier_of(const ClusterSpec& cluster, MemoryTier tier) {
  if (tier == MemoryTier::host)
    return {.read = cluster.host_memory, .write = cluster.host_memory, .capacity = cluster.host_capacity};
  return cluster.tiers[at(tier) - 1];
}

TierShare share_of(const ClusterSpec& cluster, MemoryTier tier, std::int32_t gpus_of_job) {
  const TierSpec spec = tier_of(cluster, tier);
  ECHO_EXPECT(spec.is_known());
  const std::int32_t n = sharers(cluster, spec.shared_by, gpus_of_job);
  return {.read = spec.read.value / n, .write = spec.write.value / n, .latency = spec.latency};
}

double capacity_per_gpu(const ClusterSpec& cluster, MemoryTier tier, std::int32_t gpus_of_job) {
  const TierSpec spec = tier_of(cluster, tier);
  const std::int32_t n = sharers(cluster, spec.shared_by, gpus_of_job);
  return static_cast<double>(spec.capacity.value) / std::min(n, std::max(1, gpus_of_job));
}

}  // namespace echo::machine
