#include "machine/cluster.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>

namespace echo::machine {
namespace {

// The keys of a result file are digests of the catalog: a member without a value made two runs of one sweep
// refuse each other.
TEST(ClusterSpec, HasNoMemberWithoutAValue) {
  alignas(ClusterSpec) std::byte memory[sizeof(ClusterSpec)];
  for (const int before : {0x5a, 0xa5}) {
    std::memset(memory, before, sizeof memory);
    auto* cluster = new (memory) ClusterSpec;
    EXPECT_EQ(*cluster, ClusterSpec{});
    EXPECT_EQ(cluster->given.shifted_latency, SimTime::zero());
    EXPECT_EQ(cluster->given.all_pairs_latency, SimTime::zero());
    EXPECT_EQ(cluster->scale_up.latency, SimTime::zero());
    std::destroy_at(cluster);
  }
}

}  // namespace
}  // namespace echo::machine
