#include "network/shared_links.hpp"

#include <gtest/gtest.h>

#include "base/named_table.hpp"

namespace echo::network {
namespace {

using ops::CollectiveKind;

machine::ClusterSpec dgx() {
  machine::ClusterSpec c;
  c.scale_up = {BytesPerSecond(450e9), SimTime::zero()};
  c.scale_out = {BytesPerSecond(50e9), SimTime(100)};
  c.topology = machine::TopologyId(find_named(machine::topology_table(), "single_switch"));
  return c;
}

struct Shares {
  double up = 0.0, out = 0.0;
};
LinkDemand use(CollectiveKind kind, const machine::GroupSpan& group, Shares shares,
               const machine::ClusterSpec& cluster = dgx()) {
  const machine::GpuSpec gpu;
  return use_of(
      {.kind = kind, .group = group},
      {.by_scale_up = shares.up, .by_scale_out = shares.out, .by_latency = 1 - shares.up - shares.out},
      machine::links_of(group, cluster, gpu), cluster, gpu);
}

constexpr machine::GroupSpan one_node{.ranks = 8, .nodes = 1, .ranks_per_node = 8};
constexpr machine::GroupSpan four_nodes{.ranks = 32, .nodes = 4, .ranks_per_node = 8};
constexpr machine::GroupSpan rail{.ranks = 4, .nodes = 4, .ranks_per_node = 1, .stride = 8, .sharing = 8};

double both(LinkLoss loss) { return loss.scale_up + loss.scale_out; }

TEST(SharedLinks, TwoThatWaitForOneNicAllTheTimeTakeTwiceAsLong) {
  const LinkDemand gradients = use(CollectiveKind::reduce_scatter, rail, {.out = 1.0});
  EXPECT_EQ(loss_beside(gradients, gradients), (LinkLoss{.scale_out = 1.0}));
}

TEST(SharedLinks, OnlyTheTimeOnTheWireStretches) {
  // 60 % of a on the wire, doubled for the 80 % of b's time that b is there too.
  const LinkDemand a = use(CollectiveKind::all_reduce, rail, {.out = 0.6});
  const LinkDemand b = use(CollectiveKind::all_reduce, rail, {.out = 0.8});
  EXPECT_DOUBLE_EQ(loss_beside(a, b).scale_out, 0.48);
  EXPECT_DOUBLE_EQ(loss_beside(b, a).scale_out, 0.48);
}

TEST(SharedLinks, NvlinkAndNicsDoNotDisturbEachOther) {
  const LinkDemand tensor = use(CollectiveKind::all_gather, one_node, {.up = 0.9});
  const LinkDemand data = use(CollectiveKind::reduce_scatter, rail, {.out = 0.95});
  EXPECT_EQ(loss_beside(tensor, data), LinkLoss{});
  EXPECT_EQ(loss_beside(data, tensor), LinkLoss{});
}

TEST(SharedLinks, GradientsShareTheNicsWithAnAllToAll) {
  const LinkDemand data = use(CollectiveKind::reduce_scatter, rail, {.out = 1.0});
  const LinkDemand experts = use(CollectiveKind::all_to_all, four_nodes, {.out = 0.9});
  EXPECT_DOUBLE_EQ(loss_beside(data, experts).scale_out, 0.9);
  EXPECT_DOUBLE_EQ(loss_beside(experts, data).scale_out, 0.9);
}

TEST(SharedLinks, LatencyNeitherSlowsNorIsSlowed) {
  const LinkDemand shortest = use(CollectiveKind::all_reduce, rail, {});
  const LinkDemand data = use(CollectiveKind::reduce_scatter, rail, {.out = 1.0});
  EXPECT_EQ(loss_beside(shortest, data), LinkLoss{});
  EXPECT_EQ(loss_beside(data, shortest), LinkLoss{});
}

TEST(SharedLinks, ARingThroughTheNicsTakesItsShareOfNvlink) {
  // Through eight 50 GB/s NICs it runs at 400 of NVLink's 450 GB/s. Beside it a collective on NVLink gets
  // half of the link, and so does the ring: 225 of the 400 it could have.
  const LinkDemand ring = use(CollectiveKind::all_gather, four_nodes, {.out = 1.0});
  const LinkDemand inside = use(CollectiveKind::all_gather, one_node, {.up = 1.0});
  EXPECT_DOUBLE_EQ(ring.inside_meanwhile, 400.0 / 450.0);
  EXPECT_DOUBLE_EQ(loss_beside(inside, ring).scale_up, 1.0);
  EXPECT_DOUBLE_EQ(loss_beside(ring, inside).scale_up, 400.0 / 225.0 - 1.0);
  // Through two NICs, 100 of the 450: the collective inside keeps 350.
  const machine::GroupSpan pairs{.ranks = 8, .nodes = 4, .ranks_per_node = 2, .stride = 4, .sharing = 4};
  const LinkDemand narrow = use(CollectiveKind::all_gather, pairs, {.out = 1.0});
  EXPECT_DOUBLE_EQ(loss_beside(inside, narrow).scale_up, 450.0 / 350.0 - 1.0);
  EXPECT_EQ(loss_beside(narrow, inside), LinkLoss{});
}

TEST(SharedLinks, AnAllToAllSendsLittleInsideForWhatLeavesTheNode) {
  // Of 31 pieces a GPU sends 7 inside, while 8 GPUs send 24 each through eight NICs: 50 * 7 / 24 of 450 GB/s.
  const LinkDemand experts = use(CollectiveKind::all_to_all, four_nodes, {.out = 1.0});
  EXPECT_NEAR(experts.inside_meanwhile, 50.0 * 7.0 / 24.0 / 450.0, 1e-12);
}

TEST(SharedLinks, WhoStaysBelowTheLeafGivesWayToUplinksOnlyWhatTheyCarry) {
  machine::ClusterSpec tree = dgx();
  tree.topology = machine::TopologyId(find_named(machine::topology_table(), "fat_tree"));
  tree.oversubscription = 4.0;
  tree.nodes_per_leaf = 4;
  const machine::GroupSpan far{.ranks = 8, .nodes = 8, .ranks_per_node = 1, .stride = 8, .sharing = 8};
  const LinkDemand near = use(CollectiveKind::all_gather, rail, {.out = 1.0}, tree);
  const LinkDemand across = use(CollectiveKind::all_gather, far, {.out = 1.0}, tree);
  EXPECT_DOUBLE_EQ(across.reach, 0.25);
  EXPECT_DOUBLE_EQ(loss_beside(near, across).scale_out, 1.0 / 0.75 - 1.0);
  EXPECT_EQ(loss_beside(across, near), LinkLoss{});
  EXPECT_DOUBLE_EQ(both(loss_beside(across, across)), 1.0);  // the uplink is theirs to share
}

TEST(SharedLinks, FillsATableOfEveryPair) {
  const std::vector<LinkDemand> uses{use(CollectiveKind::all_gather, one_node, {.up = 0.5}),
                                     use(CollectiveKind::all_reduce, rail, {.out = 0.4})};
  std::vector<double> up{7.0}, out;
  fill_losses(uses, uses.size(), up, out);
  EXPECT_EQ(up, (std::vector<double>{0.25, 0.0, 0.0, 0.0}));
  ASSERT_EQ(out.size(), 4U);
  EXPECT_DOUBLE_EQ(out[3], 0.16);
}

TEST(SharedLinks, LeavesOutCollectivesThatNeverRunBesideOthers) {
  const LinkDemand within = use(CollectiveKind::all_gather, one_node, {.up = 0.5});
  std::vector<double> up, out;
  fill_losses(std::vector{within, within, within}, 2, up, out);
  EXPECT_EQ(up, (std::vector<double>{0.25, 0.25, 0.0, 0.25, 0.25, 0.0, 0.0, 0.0, 0.0}));
  EXPECT_EQ(out, std::vector<double>(9, 0.0));
}

}  // namespace
}  // namespace echo::network
