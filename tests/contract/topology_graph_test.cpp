// What the graph of every topology owes: a new file in topologies/ is held to it for nothing.
#include <gtest/gtest.h>

#include <string>

#include "machine/graph_parts.hpp"
#include "machine/topology.hpp"
#include "tests/support/network_load.hpp"

namespace echo::machine {
namespace {

ClusterSpec cluster(std::int32_t gpus, std::int32_t nics) {
  ClusterSpec c;
  c.gpus_per_node = c.scale_up_domain = gpus;
  c.nics_per_node = nics;
  c.scale_up = {BytesPerSecond(450e9), SimTime(100'000)};
  c.scale_out = {BytesPerSecond(50e9), SimTime(130'000)};
  c.oversubscription = 2.0;
  c.nodes_per_leaf = 2;
  c.leaves_per_pod = 2;
  c.spine_oversubscription = 1.5;
  return c;
}

class EveryGraph : public ::testing::TestWithParam<const Topology*> {
 protected:
  [[nodiscard]] ClusterSpec cluster_of(std::int32_t gpus, std::int32_t nics, std::int32_t nodes) const {
    ClusterSpec c = cluster(gpus, nics);
    c.nodes = nodes;
    return std::string(GetParam()->name) == "file" ? network::with_given_rails(c, nodes) : c;
  }
  [[nodiscard]] NetworkGraph build(const ClusterSpec& c, std::int32_t domains) const {
    NetworkGraph graph;
    GetParam()->build(c, domains, graph);
    return graph;
  }
  [[nodiscard]] GroupLinks links(const GroupSpan& span, const ClusterSpec& c, Traffic traffic) const {
    GpuSpec gpu;
    gpu.compute_capability = 90;
    return GetParam()->links(span, traffic, c, gpu);
  }
};

// Like GPUs of all nodes, each a group of its own, at work together.
GroupSpan like_gpus(const ClusterSpec& c, std::int32_t nodes) {
  return {
      .ranks = nodes, .nodes = nodes, .ranks_per_node = 1, .stride = domain_of(c), .sharing = domain_of(c)};
}

TEST_P(EveryGraph, IsWellFormed) {
  for (const std::int32_t nics : {1, 4, 8, 16}) {
    const NetworkGraph graph = build(cluster_of(8, nics, 6), 6);
    EXPECT_EQ(graph.gpus, 48);
    EXPECT_EQ(graph.domain, 8);
    EXPECT_EQ(graph.out.rows(), graph.vertices);
    for (const Link& link : graph.links) EXPECT_GT(link.bandwidth.value, 0.0);
  }
}

TEST_P(EveryGraph, JoinsEveryTwoGpus) {
  for (const Routing policy : {Routing::minimal, Routing::ecmp, Routing::adaptive, Routing::valiant}) {
    const NetworkGraph graph = build(cluster_of(4, 2, 7), 7);
    network::Router router(graph, policy, 3);
    std::vector<network::LinkUse> uses;
    for (std::int32_t from = 0; from < graph.gpus; ++from)
      for (std::int32_t to = 0; to < graph.gpus; ++to) {
        router.route(from, to, 1, uses);
        // What flows into a vertex flows out of it, but for the two ends.
        std::vector<double> held(static_cast<std::size_t>(graph.vertices), 0.0);
        for (const network::LinkUse& use : uses) {
          const Link& link = graph.links[static_cast<std::size_t>(use.link)];
          held[static_cast<std::size_t>(link.from)] -= use.share;
          held[static_cast<std::size_t>(link.to)] += use.share;
        }
        if (from != to)
          held[static_cast<std::size_t>(from)] += 1.0, held[static_cast<std::size_t>(to)] -= 1.0;
        for (const double h : held) ASSERT_NEAR(h, 0.0, 1e-12) << from << " to " << to;
      }
  }
}

TEST_P(EveryGraph, KeepsADomainToItsScaleUpNetwork) {
  const NetworkGraph graph = build(cluster_of(8, 8, 3), 3);
  network::Router router(graph, Routing::adaptive);
  std::vector<network::LinkUse> uses;
  for (std::int32_t from = 0; from < 8; ++from) {
    for (std::int32_t to = 0; to < 8; ++to) {
      router.route(from, to, 0, uses);
      for (const network::LinkUse& use : uses) {
        const LinkPlace place = graph.links[static_cast<std::size_t>(use.link)].place;
        EXPECT_TRUE(place == LinkPlace::scale_up || place == LinkPlace::direct);
      }
    }
  }
}

TEST_P(EveryGraph, InjectsWhatTheNicsOfANodeDo) {
  for (const std::int32_t nics : {1, 4, 8, 16}) {
    const ClusterSpec c = cluster_of(8, nics, 2);
    const NetworkGraph graph = build(c, 2);
    double injected = 0.0;
    for (std::size_t i = 0; i < graph.links.size(); i += 2)
      if (graph.links[i].place == LinkPlace::nic) injected += graph.links[i].bandwidth.value;
    EXPECT_DOUBLE_EQ(injected, 2 * 50e9 * nics);
  }
}

// What the closed form promises each GPU must get through, while all like groups are at work: rings over
// every k-th node, members one after the other; and every GPU to every other.
TEST_P(EveryGraph, CarriesWhatTheClosedFormPromises) {
  for (const std::int32_t nics : {2, 4, 8, 16}) {
    for (const std::int32_t nodes : {2, 4, 6, 8, 12, 16}) {
      const ClusterSpec c = cluster_of(8, nics, nodes);
      const NetworkGraph graph = build(c, nodes);
      for (std::int32_t apart = 1; apart < nodes; ++apart) {
        if (nodes % apart != 0) continue;
        GroupSpan ring = like_gpus(c, nodes / apart);
        ring.stride *= apart;
        const double promised = links(ring, c, Traffic::neighbours).scale_out.bandwidth.value;
        const double carried =
            network::slowest_rate(graph, Routing::adaptive, network::shifted(graph, apart), 0, 2).value;
        EXPECT_LE(promised, carried * (1 + 1e-9))
            << nics << " NICs, " << nodes << " nodes, " << apart << " apart";
      }
      const double promised = links(like_gpus(c, nodes), c, Traffic::all_pairs).scale_out.bandwidth.value;
      const double carried =
          network::slowest_rate(graph, Routing::adaptive, network::all_pairs(graph), 0, 2).value;
      // What a GPU sends to its own domain needs no NIC.
      EXPECT_LE(promised, carried * (graph.gpus - graph.domain) * (1 + 1e-9))
          << nics << " NICs, " << nodes << " nodes";
    }
  }
}

TEST_P(EveryGraph, TakesTheTimeOfTheClosedFormAtLeast) {
  const ClusterSpec c = cluster_of(8, 8, 8);
  const NetworkGraph graph = build(c, 8);
  network::Router router(graph, Routing::minimal);
  std::vector<network::LinkUse> uses;
  router.route(0, 1, 0, uses);
  EXPECT_EQ(router.latency_of(uses), c.scale_up.latency);
  SimTime longest{};
  for (const auto& [from, to] : network::all_pairs(graph)) {
    router.route(from, to, 0, uses);
    longest = std::max(longest, router.latency_of(uses));
  }
  EXPECT_LE(links(like_gpus(c, 8), c, Traffic::neighbours).scale_out.latency, longest);
  EXPECT_LE(links(like_gpus(c, 8), c, Traffic::all_pairs).scale_out.latency, longest);
}

INSTANTIATE_TEST_SUITE_P(Table, EveryGraph,
                         ::testing::ValuesIn(topology_table().begin(), topology_table().end()),
                         [](const auto& row) { return std::string(row.param->name); });

}  // namespace
}  // namespace echo::machine
