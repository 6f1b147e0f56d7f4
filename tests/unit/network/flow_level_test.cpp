#include "network/flow_level.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "base/counter_rng.hpp"
#include "base/named_table.hpp"
#include "machine/topology.hpp"
#include "network/nccl_phases.hpp"
#include "tests/support/flow_twin.hpp"
#include "tests/support/sanitized.hpp"

namespace echo::network {
namespace {

using machine::ClusterSpec;
using machine::NetworkGraph;
using machine::Routing;
using ops::CollectiveKind;

constexpr SimTime nvswitch(100'000), hop(130'000);

ClusterSpec dgx(std::int32_t per_node, double oversubscription, std::int32_t nodes_per_leaf) {
  ClusterSpec c;
  c.gpus_per_node = c.scale_up_domain = c.nics_per_node = per_node;
  c.scale_up = {BytesPerSecond(400e9), nvswitch};
  c.scale_out = {BytesPerSecond(50e9), hop};
  c.oversubscription = oversubscription;
  c.nodes_per_leaf = nodes_per_leaf;
  return c;
}

NetworkGraph graph_of(const char* topology, const ClusterSpec& cluster, std::int32_t domains) {
  NetworkGraph graph;
  const auto table = machine::topology_table();
  table[static_cast<std::size_t>(find_named(table, topology))]->build(cluster, domains, graph);
  return graph;
}

std::vector<std::int32_t> first(std::int32_t gpus) {
  std::vector<std::int32_t> out(static_cast<std::size_t>(gpus));
  std::iota(out.begin(), out.end(), 0);
  return out;
}

SimTime alone(const NetworkGraph& graph, ops::NcclAlgorithm method, CollectiveKind kind, std::int64_t bytes,
              const std::vector<std::int32_t>& gpus, std::int32_t per_node,
              Routing routing = Routing::minimal) {
  textbook::Phases phases;
  phases_of(method, kind, bytes, {static_cast<std::int32_t>(gpus.size()), per_node}, phases);
  Router router(graph, routing, 1);
  const Activity activity{.phases = &phases, .gpus = gpus};
  return simulate_flows(graph, router, {&activity, 1}).end[0];
}

TEST(FlowLevel, RingInANodeIsTheClosedForm) {
  const NetworkGraph graph = graph_of("single_switch", dgx(8, 1.0, 0), 1);
  const std::int64_t bytes = 64 << 20;
  const SimTime step = Bytes(bytes / 8) / BytesPerSecond(400e9) + nvswitch;
  EXPECT_EQ(alone(graph, ops::NcclAlgorithm::ring, CollectiveKind::all_reduce, bytes, first(8), 8),
            14 * step);
  EXPECT_EQ(alone(graph, ops::NcclAlgorithm::ring, CollectiveKind::all_gather, bytes, first(8), 8), 7 * step);
}

TEST(FlowLevel, RingOfOneGpuANodeIsTheClosedForm) {
  const NetworkGraph graph = graph_of("single_switch", dgx(1, 1.0, 0), 16);
  const SimTime step = Bytes((64 << 20) / 16) / BytesPerSecond(50e9) + hop;
  EXPECT_EQ(alone(graph, ops::NcclAlgorithm::ring, CollectiveKind::all_reduce, 64 << 20, first(16), 1),
            30 * step);
}

TEST(FlowLevel, AllToAllOnASwitchIsTheClosedForm) {
  const NetworkGraph graph = graph_of("single_switch", dgx(1, 1.0, 0), 32);
  const SimTime expected = Bytes(31 * ((64 << 20) / 32)) / BytesPerSecond(50e9) + hop;
  EXPECT_EQ(alone(graph, ops::NcclAlgorithm::pairwise, CollectiveKind::all_to_all, 64 << 20, first(32), 1),
            expected);
}

// Two nodes of one GPU: half of the bytes up and down in either tree, so each NIC carries the message once.
// Four nodes: an inner node talks to its parent and to a child in one tree, as a leaf to its parent in the
// other.
TEST(FlowLevel, TreeBetweenTwoNodesLoadsANicOnce) {
  const NetworkGraph graph = graph_of("single_switch", dgx(1, 1.0, 0), 2);
  EXPECT_EQ(alone(graph, ops::NcclAlgorithm::tree, CollectiveKind::all_reduce, 64 << 20, first(2), 1),
            Bytes(64 << 20) / BytesPerSecond(50e9) + hop);
}

TEST(FlowLevel, TreeBetweenManyNodesLoadsANicTwice) {
  const NetworkGraph graph = graph_of("single_switch", dgx(1, 1.0, 0), 16);
  EXPECT_EQ(alone(graph, ops::NcclAlgorithm::tree, CollectiveKind::all_reduce, 64 << 20, first(16), 1),
            Bytes(2 * (64 << 20)) / BytesPerSecond(50e9) + hop);
}

// Leaves of two nodes, a quarter of the uplinks: node 1 -> node 2 crosses, alone on its leaf's uplinks, which
// carry 2 * 50 / 4 = 25 GB/s.
TEST(FlowLevel, RingOverAnOversubscribedLeafWaitsForTheUplink) {
  const NetworkGraph graph = graph_of("fat_tree", dgx(1, 4.0, 2), 4);
  const SimTime step = Bytes((64 << 20) / 4) / BytesPerSecond(25e9) + 3 * hop;
  EXPECT_EQ(alone(graph, ops::NcclAlgorithm::ring, CollectiveKind::all_reduce, 64 << 20, first(4), 1,
                  Routing::adaptive),
            6 * step);
}

// Two rings over the same four nodes share every NIC: both take twice the wire time. A third elsewhere is
// alone.
TEST(FlowLevel, GroupsThatShareNicsTakeTheirShares) {
  ClusterSpec shared = dgx(2, 1.0, 0);
  shared.nics_per_node = 1;
  const NetworkGraph graph = graph_of("single_switch", shared, 8);
  textbook::Phases phases;
  phases_of(ops::NcclAlgorithm::ring, CollectiveKind::all_reduce, 64 << 20, {4, 1}, phases);
  const std::vector<std::int32_t> even{0, 2, 4, 6}, odd{1, 3, 5, 7}, far{8, 10, 12, 14};
  const std::vector<Activity> activities{
      {.phases = &phases, .gpus = even}, {.phases = &phases, .gpus = odd}, {.phases = &phases, .gpus = far}};
  Router router(graph, Routing::minimal);
  const FlowTimes times = simulate_flows(graph, router, activities);
  const Bytes piece((64 << 20) / 4);
  EXPECT_EQ(times.end[0], 6 * (piece / BytesPerSecond(25e9) + hop));
  EXPECT_EQ(times.end[1], times.end[0]);
  EXPECT_EQ(times.end[2], 6 * (piece / BytesPerSecond(50e9) + hop));
  EXPECT_LT(times.solutions, 10);  // steps alike are worked out once
}

TEST(FlowLevel, CountsWhatEveryLinkCarries) {
  const NetworkGraph graph = graph_of("single_switch", dgx(1, 1.0, 0), 4);
  textbook::Phases phases;
  phases_of(ops::NcclAlgorithm::ring, CollectiveKind::all_reduce, 4000, {4, 1}, phases);
  Router router(graph, Routing::minimal);
  const auto gpus = first(4);
  const Activity activity{.phases = &phases, .gpus = gpus};
  const FlowTimes times = simulate_flows(graph, router, {&activity, 1});
  for (std::size_t l = 0; l < graph.links.size(); ++l) {
    if (graph.links[l].place != machine::LinkPlace::nic) continue;
    EXPECT_DOUBLE_EQ(times.link_bytes[l], 6000.0);
  }
}

TEST(FlowLevel, MergedRepeatsTakeAsLongWhereRatesStand) {
  const NetworkGraph graph = graph_of("rail_optimized", dgx(4, 2.0, 2), 8);
  textbook::Phases phases;
  phases_of(ops::NcclAlgorithm::ring, CollectiveKind::all_gather, 32'000'000, {32, 4}, phases);
  Router router(graph, Routing::minimal);
  const auto gpus = first(32);
  const Activity activity{.phases = &phases, .gpus = gpus};
  const SimTime exact = simulate_flows(graph, router, {&activity, 1}).end[0];
  const SimTime merged = simulate_flows(graph, router, {&activity, 1}, Repeats::merged).end[0];
  EXPECT_NEAR(static_cast<double>(merged.count()), static_cast<double>(exact.count()), 31.0 * 2.0);
}

struct Scene {
  NetworkGraph graph;
  std::vector<textbook::Phases> phases;
  std::vector<std::vector<std::int32_t>> gpus;
  std::vector<Activity> activities;
  Routing routing{};
};

// A few collectives on random members of a small machine, starting at random times.
Scene random_scene(std::uint64_t seed) {
  std::uint64_t n = 0;
  const auto below = [&](std::uint64_t top) { return static_cast<std::int32_t>(draw(seed, 2, n++) % top); };
  Scene s;
  const char* names[] = {"single_switch", "fat_tree", "rail_optimized", "meshed_nodes"};
  const std::int32_t per_node = 1 << below(3), domains = 2 + below(4);
  ClusterSpec cluster = dgx(per_node, 1.0 + below(3), 1 + below(3));
  cluster.nics_per_node = 1 << below(3);
  s.graph = graph_of(names[below(4)], cluster, domains);
  const Routing routings[] = {Routing::minimal, Routing::ecmp, Routing::adaptive};
  s.routing = routings[below(3)];
  const std::int32_t count = 1 + below(4);
  s.phases.resize(static_cast<std::size_t>(count));
  s.gpus.resize(s.phases.size());
  for (std::size_t a = 0; a < s.phases.size(); ++a) {
    for (std::int32_t g = 0; g < s.graph.gpus; ++g)
      if (below(2) == 0) s.gpus[a].push_back(g);
    while (s.gpus[a].size() < 2) s.gpus[a].push_back(below(static_cast<std::uint64_t>(s.graph.gpus)));
    const CollectiveKind kinds[] = {CollectiveKind::all_reduce, CollectiveKind::all_gather,
                                    CollectiveKind::all_to_all, CollectiveKind::send_recv};
    const ops::NcclAlgorithm methods[] = {ops::NcclAlgorithm::ring, ops::NcclAlgorithm::tree};
    phases_of(methods[below(2)], kinds[below(4)], below(3) * 1'000'000 + below(1000),
              {static_cast<std::int32_t>(s.gpus[a].size()), 1}, s.phases[a]);
    if (below(2) == 0) {  // another phase, of its own
      s.phases[a].transfers.push_back({0, 1, below(100'000)});
      s.phases[a].close(1 + below(3));
    }
  }
  for (std::size_t a = 0; a < s.phases.size(); ++a)
    s.activities.push_back({.phases = &s.phases[a],
                            .gpus = s.gpus[a],
                            .start = SimTime(below(3) * 10'000'000),
                            .phase_latency = SimTime(below(2) * 1'000'000)});
  return s;
}

TEST(FlowLevel, EqualsASimulationOfEveryFlowByItself) {
  for (std::uint64_t seed = 0; seed < support::trials(1500U); ++seed) {
    const Scene s = random_scene(seed);
    Router fast_router(s.graph, s.routing, seed), slow_router(s.graph, s.routing, seed);
    const FlowTimes fast = simulate_flows(s.graph, fast_router, s.activities);
    const std::vector<SimTime> slow = twin::simulate(s.graph, slow_router, s.activities);
    for (std::size_t a = 0; a < slow.size(); ++a)  // one rounding an event, at other events in components
      ASSERT_NEAR(static_cast<double>(fast.end[a].count()), static_cast<double>(slow[a].count()), 2.0)
          << "seed " << seed << " activity " << a;
  }
}

// 64 nodes on eight leaves with full bandwidth: spread evenly a shift by one leaf meets nobody; hashed onto
// 64 uplinks, some cables get several flows and others none. Nothing is alike, so nothing folds; where two of
// unlike size share a cable, the end of one hands it to the other.
TEST(FlowLevel, HashesCollideWhereSpreadingDoesNot) {
  const NetworkGraph graph = graph_of("fat_tree", dgx(8, 1.0, 8), 64);
  textbook::Phases phases;
  for (std::int32_t g = 0; g < 512; ++g)
    phases.transfers.push_back({g, (g + 64) % 512, g % 2 == 0 ? 50'000'000 : 75'000'000});
  phases.close();
  const auto gpus = first(512);
  const Activity activity{.phases = &phases, .gpus = gpus};
  Router spread(graph, Routing::adaptive), hashed(graph, Routing::ecmp, 5);
  const SimTime even = simulate_flows(graph, spread, {&activity, 1}).end[0];
  const FlowTimes uneven = simulate_flows(graph, hashed, {&activity, 1});
  EXPECT_EQ(even, Bytes(75'000'000) / BytesPerSecond(50e9) + 3 * hop);
  EXPECT_GE(uneven.end[0], Bytes(50'000'000 + 75'000'000) / BytesPerSecond(50e9));
  EXPECT_GT(uneven.solutions, 1);
}

}  // namespace
}  // namespace echo::network
