// Each topology against a single switch, by a pattern that sets the two apart: 1 GB a flow, times by hand.
#include <gtest/gtest.h>

#include "machine/hashed_flows.hpp"
#include "tests/support/network_load.hpp"

namespace echo::network {
namespace {

using machine::ClusterSpec;
using machine::GroupLinks;
using machine::GroupSpan;
using machine::NetworkGraph;
using machine::Routing;
using machine::Traffic;

// Nodes of eight GPUs with NICs of 50 GB/s: 1 GB takes 20 ms where nothing is in the way.
ClusterSpec dgx() {
  ClusterSpec c;
  c.scale_up = {BytesPerSecond(450e9), SimTime(50)};
  c.scale_out = {BytesPerSecond(50e9), SimTime(100)};
  return c;
}

double milliseconds(const char* topology, const ClusterSpec& c, std::int32_t domains, const Pairs& flows,
                    std::uint64_t parts = 1) {
  const NetworkGraph graph = graph_of(topology, c, domains);
  return 1e9 / slowest_rate(graph, Routing::adaptive, flows, 0, parts).value * 1e3;
}

Pairs all_on(const ClusterSpec& c, std::int32_t domains, std::int32_t apart) {
  return shifted(graph_of("single_switch", c, domains), apart);
}

TEST(FatTree, HalvesAnExchangeBetweenLeavesAtTwoToOne) {
  ClusterSpec c = dgx();
  c.nodes_per_leaf = 2, c.oversubscription = 2.0;
  EXPECT_DOUBLE_EQ(milliseconds("single_switch", c, 4, all_on(c, 4, 2)), 20.0);
  EXPECT_DOUBLE_EQ(milliseconds("fat_tree", c, 4, all_on(c, 4, 2)), 40.0);
}

TEST(RailOptimized, SlowsRailsThatLeaveTheirLeaf) {
  ClusterSpec c = dgx();
  c.nodes_per_leaf = 2, c.oversubscription = 4.0;
  EXPECT_DOUBLE_EQ(milliseconds("rail_optimized", c, 4, all_on(c, 4, 2)), 80.0);
}

// GPUs 0 and 1 of node 0 to GPU 1 of nodes 1 and 2: both leave by the NIC on rail 1.
TEST(RailOnly, SendsWhatIsForOneRailByOneNic) {
  const Pairs flows{{0, 9}, {1, 17}};
  EXPECT_DOUBLE_EQ(milliseconds("single_switch", dgx(), 3, flows), 20.0);
  EXPECT_DOUBLE_EQ(milliseconds("rail_only", dgx(), 3, flows), 40.0);
}

TEST(MeshedNodes, GiveTwoGpusOneLinkOfSeven) {
  EXPECT_NEAR(milliseconds("single_switch", dgx(), 1, {{0, 1}}), 1e3 / 450, 1e-9);
  EXPECT_NEAR(milliseconds("meshed_nodes", dgx(), 1, {{0, 1}}), 7e3 / 450, 1e-9);
}

TEST(FatTree3, SlowsLevelByLevel) {
  ClusterSpec c = dgx();
  c.nodes_per_leaf = 1, c.leaves_per_pod = 2, c.oversubscription = 2.0, c.spine_oversubscription = 2.0;
  EXPECT_DOUBLE_EQ(milliseconds("fat_tree_3", c, 4, {{0, 8}, {8, 0}, {16, 24}}), 20.0);
  Pairs within = all_on(c, 2, 1);
  EXPECT_DOUBLE_EQ(milliseconds("fat_tree_3", c, 4, within), 40.0);
  EXPECT_DOUBLE_EQ(milliseconds("fat_tree_3", c, 4, all_on(c, 4, 2)), 80.0);
}

// Three groups of two routers of one node: a trunk is 2 * 400 / 2 = 400 GB/s, for the 16 GPUs of a group.
TEST(Dragonfly, HasOneTrunkForAllThatGoToOneGroup) {
  ClusterSpec c = dgx();
  c.nodes_per_leaf = 1, c.leaves_per_pod = 2;
  EXPECT_DOUBLE_EQ(milliseconds("single_switch", c, 6, all_on(c, 6, 2)), 20.0);
  EXPECT_DOUBLE_EQ(milliseconds("dragonfly", c, 6, all_on(c, 6, 2)), 40.0);
  EXPECT_DOUBLE_EQ(milliseconds("dragonfly_plus", c, 6, all_on(c, 6, 2)), 40.0);
}

TEST(Dragonfly, IsSavedByValiant) {
  ClusterSpec c = dgx();
  c.nodes_per_leaf = 1, c.leaves_per_pod = 2;
  const NetworkGraph graph = graph_of("dragonfly", c, 18);  // nine groups: a trunk is 100 GB/s
  const Pairs flows = all_on(c, 18, 2);
  EXPECT_DOUBLE_EQ(slowest_rate(graph, Routing::minimal, flows).value, 100e9 / 16);
  EXPECT_GT(slowest_rate(graph, Routing::valiant, flows, 1, 200).value, 2.5 * 100e9 / 16);
}

// Four chips in a ring, 50 GB/s a link and direction, to the one opposite: half of it each way, two links
// each.
TEST(Torus, PassesOtherChipsOnTheWay) {
  ClusterSpec c = dgx();
  c.gpus_per_node = c.scale_up_domain = 1, c.nics_per_node = 2;
  c.dims = {1, 1, 4};
  EXPECT_DOUBLE_EQ(milliseconds("single_switch", c, 4, all_on(c, 4, 2)), 10.0);
  EXPECT_DOUBLE_EQ(milliseconds("torus", c, 4, all_on(c, 4, 2)), 20.0);
}

TEST(Torus, RoutesDimensionByDimension) {
  ClusterSpec c = dgx();
  c.gpus_per_node = c.scale_up_domain = 1, c.nics_per_node = 6;
  c.dims = {3, 4, 5};
  const NetworkGraph graph = graph_of("torus", c, 60);
  Router router(graph, Routing::minimal);
  std::vector<LinkUse> uses;
  router.route(0, 60 - 1, 0, uses);  // (0,0,0) to (2,3,4): one step back along each
  std::vector<std::int32_t> passed;
  for (const LinkUse& use : uses)
    passed.push_back(graph.links[static_cast<std::size_t>(use.link)].to - graph.first_router);
  EXPECT_EQ(std::vector<std::int32_t>(passed.begin(), passed.end() - 1),
            (std::vector<std::int32_t>{0, 40, 55, 59}));
  EXPECT_EQ(router.latency_of(uses), SimTime(300));
}

TEST(DualPlane, KeepsAFlowToItsPlane) {
  EXPECT_DOUBLE_EQ(milliseconds("dual_plane", dgx(), 2, all_on(dgx(), 2, 1)), 40.0);
  EXPECT_DOUBLE_EQ(milliseconds("dual_plane", dgx(), 2, all_on(dgx(), 2, 1), 2), 20.0);
}

TEST(ScaleUpDomain, OfManyNodesNeedsNoNic) {
  ClusterSpec rack = dgx();
  rack.gpus_per_node = rack.nics_per_node = 4, rack.scale_up_domain = 72;
  EXPECT_NEAR(milliseconds("rail_optimized", rack, 2, {{0, 4}}), 1e3 / 450, 1e-9);
  EXPECT_DOUBLE_EQ(milliseconds("rail_optimized", rack, 2, {{0, 72}}), 20.0);
}

// Two nodes of two GPUs, a switch each, and one cable of 50 GB/s between them.
TEST(GivenFabric, IsAsThickAsItsThinnestCable) {
  NetworkGraph graph{.gpus = 4, .vertices = 6, .domain = 2};
  for (std::int32_t gpu = 0; gpu < 4; ++gpu)
    graph.hang(gpu, 4 + gpu / 2, BytesPerSecond(50e9), SimTime(100), machine::LinkPlace::nic);
  for (std::int32_t gpu = 0; gpu < 4; gpu += 2)
    graph.join(gpu, gpu + 1, BytesPerSecond(450e9), SimTime(50), machine::LinkPlace::direct);
  graph.join(4, 5, BytesPerSecond(50e9), SimTime(100), machine::LinkPlace::leaf);
  graph.index_links();
  ClusterSpec c = dgx();
  c.gpus_per_node = c.scale_up_domain = c.nics_per_node = 2;
  c.given = rate_fabric(graph, Routing::adaptive);
  EXPECT_DOUBLE_EQ(c.given.shifted.value, 25e9);
  EXPECT_DOUBLE_EQ(c.given.all_pairs.value, 25e9);
  EXPECT_EQ(c.given.shifted_latency, SimTime(200));
  EXPECT_DOUBLE_EQ(milliseconds("file", c, 2, {{0, 2}, {1, 3}}), 40.0);
}

GroupLinks links(const char* topology, const GroupSpan& span, ClusterSpec c, Traffic traffic) {
  c.topology = machine::TopologyId(find_named(machine::topology_table(), topology));
  return links_of(span, c, machine::GpuSpec{}, traffic);
}

GroupSpan like_gpus(std::int32_t nodes, std::int32_t stride) {
  return {.ranks = nodes, .nodes = nodes, .ranks_per_node = 1, .stride = stride, .sharing = stride};
}

// Closed forms that are said to be exact.
TEST(ClosedForms, AreWhatTheGraphCarries) {
  ClusterSpec c = dgx();
  c.nodes = 12, c.nodes_per_leaf = 2, c.leaves_per_pod = 2, c.oversubscription = 2.0,
  c.spine_oversubscription = 1.5;
  const GroupSpan across{.ranks = 2, .nodes = 2, .ranks_per_node = 1, .stride = 48, .sharing = 8};
  for (const char* topology : {"fat_tree", "rail_optimized", "rail_only", "fat_tree_3", "dragonfly_plus"}) {
    const double carried =
        slowest_rate(graph_of(topology, c, 12), Routing::adaptive, all_on(c, 12, 6), 0, 2).value;
    const double promised = links(topology, across, c, Traffic::neighbours).scale_out.bandwidth.value;
    EXPECT_NEAR(promised, carried, 1) << topology;
  }
}

TEST(ClosedForms, OfATorusAreExactForAllPairs) {
  for (const std::array<std::int32_t, 3> dims :
       {std::array{1, 1, 6}, {1, 4, 4}, {4, 4, 4}, {2, 4, 6}, {3, 5, 2}}) {
    ClusterSpec c = dgx();
    c.gpus_per_node = c.scale_up_domain = 1, c.nics_per_node = 6, c.dims = dims;
    const std::int32_t chips = dims[0] * dims[1] * dims[2];
    const NetworkGraph graph = graph_of("torus", c, chips);
    const double carried = slowest_rate(graph, Routing::adaptive, all_pairs(graph)).value * (chips - 1);
    const double promised =
        links("torus", like_gpus(chips, 1), c, Traffic::all_pairs).scale_out.bandwidth.value;
    EXPECT_NEAR(promised, std::min(carried, 300e9), 1e-6 * carried) << dims[0] << dims[1] << dims[2];
  }
}

// The mean over seeds of the slowest of 64 flows, two for each of 32 NICs of a leaf, hashed up to 16 spines
// and so down to the other leaf.
TEST(HashedFlows, CollideAsPoissonSays) {
  ClusterSpec c = dgx();
  c.nodes_per_leaf = 4, c.oversubscription = 2.0;
  const NetworkGraph graph = graph_of("fat_tree", c, 8);
  double mean = 0.0;
  for (std::uint64_t seed = 0; seed < 200; ++seed)
    mean += 1.0 / slowest_rate(graph, Routing::ecmp, all_on(c, 8, 4), seed, 2).value / 200;
  c.routing = Routing::ecmp;
  const GroupSpan across{.ranks = 2, .nodes = 2, .ranks_per_node = 1, .stride = 32, .sharing = 8};
  const double promised = links("fat_tree", across, c, Traffic::neighbours).scale_out.bandwidth.value;
  EXPECT_NEAR(promised * mean, 1.0, 0.06);
  EXPECT_LT(promised, 0.6 * 25e9);
}

TEST(HashedFlows, LoseNothingToOneCableAndLittleInCrowds) {
  EXPECT_DOUBLE_EQ(machine::even_share_of_hashed(3.0, 1.0), 1.0);
  EXPECT_GT(machine::even_share_of_hashed(64.0, 16.0), machine::even_share_of_hashed(4.0, 16.0));
  // One flow to each of two cables on average: 1 / E[max of two Poisson(1)]; by hand E = sum of 1 - F(k)^2
  // = .8647 + .4587 + .1542 + .0376 + .0073 + .0012 + .0002.
  EXPECT_NEAR(machine::even_share_of_hashed(1.0, 2.0), 1 / 1.5239, 1e-4);
}

}  // namespace
}  // namespace echo::network
