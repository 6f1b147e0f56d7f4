#include "network/flow_links.hpp"

#include <gtest/gtest.h>

#include "base/named_table.hpp"

namespace echo::network {
namespace {

using machine::ClusterSpec;
using machine::GroupSpan;
using machine::Routing;

ClusterSpec cluster(const char* topology, std::int32_t nics, double oversubscription) {
  ClusterSpec c;
  c.nics_per_node = nics;
  c.scale_up = {BytesPerSecond(450e9), SimTime(100'000)};
  c.scale_out = {BytesPerSecond(50e9), SimTime(130'000)};
  c.topology = machine::TopologyId(find_named(machine::topology_table(), topology));
  c.oversubscription = oversubscription;
  c.nodes_per_leaf = 4;
  return c;
}

GroupSpan span(std::int32_t nodes, std::int32_t per_node) {
  const std::int32_t stride = 8 / per_node;
  return {.ranks = nodes * per_node,
          .nodes = nodes,
          .ranks_per_node = per_node,
          .stride = stride,
          .sharing = stride};
}

const machine::GpuSpec gpu;

machine::GroupLinks by_flows(const GroupSpan& s, Traffic traffic, ClusterSpec c, Routing routing,
                             std::uint64_t seed) {
  c.routing = routing;
  return flow_links(s, traffic, machine::links_of(s, c, gpu), c, seed);
}

// Where every edge of every group crosses the fabric at once, the closed forms are exact.
TEST(FlowLinks, AreTheClosedFormWhereThatIsExact) {
  for (const char* topology : {"single_switch", "rail_optimized", "fat_tree"}) {
    for (const std::int32_t nics : {1, 2, 4, 8, 16}) {
      for (const std::int32_t per_node : {1, 2, 4, 8}) {
        const ClusterSpec c = cluster(topology, nics, 1.0);
        for (const std::int32_t nodes : {2, 4, 8}) {
          if (per_node > 1 && per_node < 8 && nics < 8) continue;  // members reach NICs that are not nearest
          const GroupSpan s = span(nodes, per_node);
          const auto closed = machine::links_of(s, c, gpu).scale_out;
          const auto flows = by_flows(s, {ops::NcclAlgorithm::ring}, c, Routing::adaptive, 0).scale_out;
          EXPECT_NEAR(flows.bandwidth / closed.bandwidth, 1.0, 1e-9)
              << topology << ' ' << nics << " NICs, " << per_node << " a node, " << nodes << " nodes";
          const SimTime detour =
              per_node > 1 ? c.scale_up.latency : SimTime::zero();  // to the GPU on the rail
          EXPECT_GE(flows.latency, closed.latency) << topology << ' ' << nodes;
          EXPECT_LE(flows.latency, closed.latency + detour) << topology << ' ' << nodes;
        }
      }
    }
  }
}

// A contiguous ring leaves each leaf of four nodes on one edge: its uplinks carry a quarter of the worst
// case.
TEST(FlowLinks, KnowThatARingCrossesALeafOnce) {
  const ClusterSpec c = cluster("fat_tree", 8, 4.0);
  const GroupSpan s = span(16, 8);
  EXPECT_DOUBLE_EQ(machine::links_of(s, c, gpu).scale_out.bandwidth.value, 100e9);
  EXPECT_NEAR(by_flows(s, {ops::NcclAlgorithm::ring}, c, Routing::adaptive, 0).scale_out.bandwidth.value,
              400e9, 1e3);
}

// All pairs of 16 nodes over leaves of 4: 12 of 15 destinations are beyond the leaf, whose uplinks carry a
// quarter: T = 8 * 96 * b * 4 / 400 GB/s a node, and a node's share of it counts 8 * 120 * b.
TEST(FlowLinks, PayForAllPairsOnTheUplinks) {
  const ClusterSpec c = cluster("fat_tree", 8, 4.0);
  const auto links =
      by_flows(span(16, 8), {.kind = ops::CollectiveKind::all_to_all}, c, Routing::adaptive, 0);
  EXPECT_NEAR(links.scale_out.bandwidth.value, 100e9 * 120.0 / 96.0, 1e4);
}

TEST(FlowLinks, GiveTreesTheirNicsTwice) {
  const ClusterSpec c = cluster("single_switch", 8, 1.0);
  for (const std::int32_t nodes : {2, 8, 16}) {
    const auto links = by_flows(span(nodes, 8), {ops::NcclAlgorithm::tree}, c, Routing::minimal, 0);
    EXPECT_NEAR(links.scale_out.bandwidth.value, 400e9, 1e3) << nodes;
  }
}

TEST(FlowLinks, LoseToCollisionsOfHashes) {
  const ClusterSpec c = cluster("fat_tree", 8, 1.0);
  const GroupSpan s{.ranks = 16, .nodes = 16, .ranks_per_node = 1, .stride = 32, .sharing = 8};
  const auto spread = by_flows(s, {ops::NcclAlgorithm::ring}, c, Routing::adaptive, 1);
  const auto hashed = by_flows(s, {ops::NcclAlgorithm::ring}, c, Routing::ecmp, 1);
  EXPECT_NEAR(spread.scale_out.bandwidth.value, 50e9, 1e3);
  EXPECT_LT(hashed.scale_out.bandwidth.value, 0.6 * spread.scale_out.bandwidth.value);
}

// Above 2^14 hashed flows the fullest link stands for all: close to, and never slower than, what they take
// one by one (15 360 flows of 16 nodes, 17 408 of 17).
TEST(FlowLinks, TakeTheFullestLinkForVeryManyHashedFlows) {
  const ClusterSpec c = cluster("fat_tree", 8, 1.0);
  const auto rate = [&](std::int32_t nodes) {
    const auto links =
        by_flows(span(nodes, 8), {.kind = ops::CollectiveKind::all_to_all}, c, Routing::ecmp, 3);
    return links.scale_out.bandwidth.value;
  };
  const double followed = rate(16), bounded = rate(17);
  EXPECT_GT(bounded, 0.9 * followed);
  EXPECT_LT(bounded, 1.3 * followed);
}

TEST(FlowLinks, LeaveANodeToItself) {
  const ClusterSpec c = cluster("fat_tree", 8, 4.0);
  const GroupSpan s{.ranks = 8, .nodes = 1, .ranks_per_node = 8};
  EXPECT_EQ(by_flows(s, {ops::NcclAlgorithm::ring}, c, Routing::minimal, 0), machine::links_of(s, c, gpu));
}

}  // namespace
}  // namespace echo::network
