#include "machine/tier_share.hpp"

#include <gtest/gtest.h>

#include "base/at.hpp"

namespace echo::machine {
namespace {

ClusterSpec with(MemoryTier tier, TierSharing shared_by) {
  ClusterSpec cluster{.gpus_per_node = 8};
  cluster.tiers[at(tier) - 1] = {.read = BytesPerSecond(80e9),
                                 .write = BytesPerSecond(40e9),
                                 .latency = from_microseconds(3),
                                 .capacity = Bytes(1600),
                                 .shared_by = shared_by};
  return cluster;
}

TEST(TierShare, IsOneOfThoseWhoHaveTheTierTogether) {
  for (const MemoryTier tier : {MemoryTier::cxl, MemoryTier::nvme, MemoryTier::remote}) {
    const auto own = share_of(with(tier, TierSharing::gpu), tier, 64);
    EXPECT_EQ(own.read, 80e9);
    EXPECT_EQ(own.write, 40e9);
    EXPECT_EQ(own.latency, from_microseconds(3));
    EXPECT_EQ(share_of(with(tier, TierSharing::node), tier, 64).read, 10e9);
    EXPECT_EQ(share_of(with(tier, TierSharing::job), tier, 64).read, 80e9 / 64);
    EXPECT_EQ(share_of(with(tier, TierSharing::job), tier, 64).latency, from_microseconds(3));
  }
}

TEST(TierShare, OfCapacityIsThatOfTheGpusThatThereAre) {
  const auto capacity = [](TierSharing shared_by, std::int32_t gpus) {
    return capacity_per_gpu(with(MemoryTier::nvme, shared_by), MemoryTier::nvme, gpus);
  };
  EXPECT_EQ(capacity(TierSharing::gpu, 64), 1600.0);
  EXPECT_EQ(capacity(TierSharing::node, 64), 200.0);
  EXPECT_EQ(capacity(TierSharing::node, 2), 800.0) << "two GPUs of a node, the others idle";
  EXPECT_EQ(capacity(TierSharing::job, 64), 25.0);
}

TEST(TierShare, TheHostsMemoryIsTheFirstTier) {
  ClusterSpec cluster{.gpus_per_node = 4, .host_memory = BytesPerSecond(400e9), .host_capacity = Bytes(4000)};
  const TierShare host = share_of(cluster, MemoryTier::host, 16);
  EXPECT_EQ(host.read, 100e9);
  EXPECT_EQ(host.write, 100e9);
  EXPECT_EQ(host.latency, SimTime::zero());
  EXPECT_EQ(capacity_per_gpu(cluster, MemoryTier::host, 16), 1000.0);
  EXPECT_FALSE(tier_of(cluster, MemoryTier::nvme).is_known());
  EXPECT_EQ(capacity_per_gpu(cluster, MemoryTier::nvme, 16), 0.0);
}

}  // namespace
}  // namespace echo::machine
