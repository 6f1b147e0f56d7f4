#include "machine/topology.hpp"

#include <gtest/gtest.h>

#include "base/named_table.hpp"
#include "machine/nic_share.hpp"

namespace echo::machine {
namespace {

ClusterSpec dgx() {
  ClusterSpec c;
  c.scale_up = {BytesPerSecond(450e9), SimTime::zero()};
  c.scale_out = {BytesPerSecond(50e9), SimTime(100)};
  return c;
}

GroupLinks on(const char* topology, const GroupSpan& span, ClusterSpec cluster) {
  cluster.topology = TopologyId(find_named(topology_table(), topology));
  GpuSpec gpu;
  gpu.compute_capability = 90;
  return links_of(span, cluster, gpu);
}

// One group over whole nodes; one of like GPUs, a node apart from each other.
GroupSpan whole(std::int32_t nodes) { return {.ranks = 8 * nodes, .nodes = nodes, .ranks_per_node = 8}; }
GroupSpan rail(std::int32_t nodes) {
  return {.ranks = nodes, .nodes = nodes, .ranks_per_node = 1, .stride = 8, .sharing = 8};
}

TEST(SingleSwitch, GivesEachGpuItsNic) {
  EXPECT_DOUBLE_EQ(on("single_switch", whole(2), dgx()).scale_out.bandwidth.value, 400e9);
  EXPECT_DOUBLE_EQ(on("single_switch", rail(64), dgx()).scale_out.bandwidth.value, 50e9);
  EXPECT_EQ(on("single_switch", whole(2), dgx()).nics, 8);
}

TEST(FatTree, LosesItsOversubscriptionBeyondOneLeaf) {
  ClusterSpec c = dgx();
  c.oversubscription = 2.0;
  c.nodes_per_leaf = 4;
  EXPECT_DOUBLE_EQ(on("fat_tree", whole(4), c).scale_out.bandwidth.value, 400e9);
  EXPECT_DOUBLE_EQ(on("fat_tree", whole(5), c).scale_out.bandwidth.value, 200e9);
  EXPECT_EQ(on("fat_tree", whole(5), c).scale_out.latency, SimTime(300));
}

TEST(FatTree, CountsTheNodesBetweenMembers) {
  ClusterSpec c = dgx();
  c.oversubscription = 2.0;
  c.nodes_per_leaf = 4;
  const GroupSpan far{
      .ranks = 2, .nodes = 2, .ranks_per_node = 1, .stride = 32, .sharing = 8};  // node 0 and node 4
  EXPECT_DOUBLE_EQ(on("fat_tree", far, c).scale_out.bandwidth.value, 25e9);
}

TEST(RailOptimized, StaysOnItsLeafUpToItsNodes) {
  ClusterSpec c = dgx();
  c.oversubscription = 2.0;
  c.nodes_per_leaf = 32;
  EXPECT_DOUBLE_EQ(on("rail_optimized", rail(32), c).scale_out.bandwidth.value, 50e9);
  EXPECT_DOUBLE_EQ(on("rail_optimized", rail(33), c).scale_out.bandwidth.value, 25e9);
}

TEST(MeshedNodes, GiveAGroupTheLinksOfItsMembers) {
  const auto within = [](std::int32_t ranks) {
    return GroupSpan{.ranks = ranks, .nodes = 1, .ranks_per_node = ranks};
  };
  EXPECT_DOUBLE_EQ(on("meshed_nodes", within(8), dgx()).scale_up.bandwidth.value, 450e9);
  EXPECT_DOUBLE_EQ(on("meshed_nodes", within(4), dgx()).scale_up.bandwidth.value, 450e9 * 3 / 7);
  EXPECT_DOUBLE_EQ(on("meshed_nodes", within(2), dgx()).scale_up.bandwidth.value, 450e9 / 7);
  EXPECT_DOUBLE_EQ(on("meshed_nodes", rail(4), dgx()).scale_out.bandwidth.value, 50e9);
}

TEST(NicShare, SplitsFewNicsAmongSiblings) {
  ClusterSpec c = dgx();
  c.nics_per_node = 2;
  EXPECT_DOUBLE_EQ(on("single_switch", rail(4), c).scale_out.bandwidth.value, 50e9 * 2 / 8);
  EXPECT_DOUBLE_EQ(on("single_switch", whole(4), c).scale_out.bandwidth.value, 100e9);
}

TEST(NicShare, AScaleUpDomainOfManyNodesIsOneNode) {
  ClusterSpec rack = dgx();
  rack.gpus_per_node = 4;
  rack.nics_per_node = 4;
  rack.scale_up_domain = 72;
  const GroupSpan inside{.ranks = 64, .nodes = 1, .ranks_per_node = 64};
  EXPECT_EQ(on("rail_optimized", inside, rack).nics, 0);
  const GroupSpan two{.ranks = 144, .nodes = 2, .ranks_per_node = 72};
  EXPECT_DOUBLE_EQ(on("rail_optimized", two, rack).scale_out.bandwidth.value, 72 * 50e9);
}

}  // namespace
}  // namespace echo::machine
