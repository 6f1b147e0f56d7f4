#include "network/routing.hpp"

#include <gtest/gtest.h>

#include "tests/support/network_load.hpp"

namespace echo::network {
namespace {

using machine::ClusterSpec;
using machine::LinkPlace;
using machine::NetworkGraph;
using machine::Routing;

ClusterSpec dgx() {
  ClusterSpec c;
  c.scale_up = {BytesPerSecond(450e9), SimTime(50)};
  c.scale_out = {BytesPerSecond(50e9), SimTime(100)};
  c.oversubscription = 2.0;
  c.nodes_per_leaf = 2;
  return c;
}

std::vector<LinkPlace> places(Router& router, const NetworkGraph& graph, std::int32_t from, std::int32_t to) {
  std::vector<LinkUse> uses;
  router.route(from, to, 0, uses);
  std::vector<LinkPlace> found;
  for (const LinkUse& use : uses) found.push_back(graph.links[static_cast<std::size_t>(use.link)].place);
  return found;
}

constexpr auto up = LinkPlace::scale_up, nic = LinkPlace::nic, leaf = LinkPlace::leaf, host = LinkPlace::host;

TEST(Router, StaysBelowTheNvSwitchOfADomain) {
  const NetworkGraph graph = graph_of("rail_optimized", dgx(), 2);
  Router router(graph, Routing::minimal);
  EXPECT_EQ(places(router, graph, 0, 7), (std::vector{up, up}));
  EXPECT_TRUE(places(router, graph, 3, 3).empty());
}

TEST(Router, CrossesRailsOverNvlinkFirst) {
  const NetworkGraph graph = graph_of("rail_optimized", dgx(), 4);
  Router router(graph, Routing::minimal);
  EXPECT_EQ(places(router, graph, 0, 8), (std::vector{nic, nic}));
  EXPECT_EQ(places(router, graph, 0, 9), (std::vector{up, up, nic, nic}));
  // Beyond the leaf a spine joins all rails: nothing is saved by changing rails first.
  EXPECT_EQ(places(router, graph, 0, 17), (std::vector{nic, leaf, leaf, nic}));
}

TEST(Router, SharesNicsWhereTheyAreScarce) {
  ClusterSpec c = dgx();
  c.nics_per_node = 4;
  const NetworkGraph graph = graph_of("single_switch", c, 2);
  Router router(graph, Routing::minimal);
  EXPECT_EQ(places(router, graph, 1, 9), (std::vector{host, nic, nic, host}));
  // GPUs 1 and 5 share a NIC, 1 and 2 do not.
  EXPECT_DOUBLE_EQ(slowest_rate(graph, Routing::minimal, {{1, 9}, {5, 13}}).value, 25e9);
  EXPECT_DOUBLE_EQ(slowest_rate(graph, Routing::minimal, {{1, 9}, {2, 10}}).value, 50e9);
}

TEST(Router, CountsTheSwitchesOfAPath) {
  const NetworkGraph graph = graph_of("fat_tree", dgx(), 4);
  Router router(graph, Routing::adaptive);
  std::vector<LinkUse> uses;
  router.route(0, 8, 0, uses);
  EXPECT_EQ(router.latency_of(uses), SimTime(100));
  router.route(0, 16, 0, uses);
  EXPECT_EQ(router.latency_of(uses), SimTime(300));
}

// Two leaves of 16 ports, eight spines: minimal gives every spine two destinations of a leaf, spray an eighth
// of all; both give each flow half its NIC.
TEST(Router, DealsDestinationsOutEvenly) {
  const NetworkGraph graph = graph_of("fat_tree", dgx(), 4);
  EXPECT_DOUBLE_EQ(slowest_rate(graph, Routing::minimal, shifted(graph, 2)).value, 25e9);
  EXPECT_DOUBLE_EQ(slowest_rate(graph, Routing::adaptive, shifted(graph, 2)).value, 25e9);
}

// One flow alone: 50 GB/s by any policy. Two of one leaf: spray gives both their NIC; a hash may not.
TEST(Router, EcmpCollidesWhereSprayDoesNot) {
  const NetworkGraph graph = graph_of("fat_tree", dgx(), 4);
  const Pairs two{{0, 16}, {1, 17}};
  std::int32_t collisions = 0;
  for (std::uint64_t seed = 0; seed < 800; ++seed) {
    const double rate = slowest_rate(graph, Routing::ecmp, two, seed).value;
    EXPECT_TRUE(rate == 50e9 || rate == 25e9);
    collisions += rate == 25e9 ? 1 : 0;
  }
  EXPECT_NEAR(collisions, 100, 30);  // one pair of hashes in eight
  EXPECT_DOUBLE_EQ(slowest_rate(graph, Routing::adaptive, two).value, 50e9);
}

TEST(Router, IsAFunctionOfItsArguments) {
  const NetworkGraph graph = graph_of("fat_tree", dgx(), 8);
  Router once(graph, Routing::ecmp, 7), again(graph, Routing::ecmp, 7);
  std::vector<LinkUse> a, b;
  for (std::int32_t to = 0; to < graph.gpus; ++to) {
    once.route(5, to, 2, a);
    again.route(60, graph.gpus - 1 - to, 9, b);
    again.route(5, to, 2, b);
    EXPECT_EQ(a, b);
  }
}

// By hand: node 0 of leaf 0 sends to node 2 of leaf 1 over NIC, one of eight spines and NIC.
TEST(Router, SpraysOverAllSpines) {
  const NetworkGraph graph = graph_of("fat_tree", dgx(), 4);
  Router router(graph, Routing::adaptive);
  std::vector<LinkUse> uses;
  router.route(0, 16, 0, uses);
  ASSERT_EQ(uses.size(), 18u);
  for (std::size_t i = 1; i < 17; ++i) EXPECT_DOUBLE_EQ(uses[i].share, 1.0 / 8);
  EXPECT_DOUBLE_EQ(uses.front().share, 1.0);
  EXPECT_DOUBLE_EQ(uses.back().share, 1.0);
}

}  // namespace
}  // namespace echo::network
