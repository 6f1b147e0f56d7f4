// How long equal flows that start together take, by adding up what every link carries: the slowest link
// decides. Equal flows share their busiest link evenly, so max-min fairness ends them at that time too.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/named_table.hpp"
#include "machine/topology.hpp"
#include "network/given_fabric.hpp"
#include "network/routing.hpp"

namespace echo::network {

using Pairs = std::vector<std::pair<std::int32_t, std::int32_t>>;

// Bytes each flow gets through in a second, the slowest of them; each cut into `parts` that are routed by
// themselves.
inline BytesPerSecond slowest_rate(const machine::NetworkGraph& graph, machine::Routing policy,
                                   const Pairs& flows, std::uint64_t seed = 0, std::uint64_t parts = 1) {
  Router router(graph, policy, seed);
  std::vector<double> load(graph.links.size(), 0.0);
  std::vector<LinkUse> uses;
  for (const auto& [from, to] : flows) {
    for (std::uint64_t part = 0; part < parts; ++part) {
      router.route(from, to, part, uses);
      for (const LinkUse& use : uses)
        load[static_cast<std::size_t>(use.link)] += use.share / static_cast<double>(parts);
    }
  }
  double rate = 1e300;
  for (std::size_t i = 0; i < load.size(); ++i)
    if (load[i] > 0.0) rate = std::min(rate, graph.links[i].bandwidth.value / load[i]);
  return BytesPerSecond(rate);
}

inline machine::NetworkGraph graph_of(const char* topology, const machine::ClusterSpec& cluster,
                                      std::int32_t domains) {
  machine::NetworkGraph graph;
  machine::topology_table()[static_cast<std::size_t>(find_named(machine::topology_table(), topology))]->build(
      cluster, domains, graph);
  return graph;
}

// The cluster with a fabric of its own: rails over `nodes`, as a file could spell them out.
inline machine::ClusterSpec with_given_rails(machine::ClusterSpec cluster, std::int32_t nodes) {
  cluster.given = rate_fabric(graph_of("rail_optimized", cluster, nodes), machine::Routing::adaptive);
  return cluster;
}

inline Pairs all_pairs(const machine::NetworkGraph& graph) {
  Pairs flows;
  for (std::int32_t from = 0; from < graph.gpus; ++from)
    for (std::int32_t to = 0; to < graph.gpus; ++to)
      if (from != to) flows.emplace_back(from, to);
  return flows;
}

// Every GPU of a machine of `domain`s sends to the like GPU `shift` domains on.
inline Pairs shifted(const machine::NetworkGraph& graph, std::int32_t shift) {
  Pairs flows;
  for (std::int32_t gpu = 0; gpu < graph.gpus; ++gpu)
    flows.emplace_back(gpu, (gpu + shift * graph.domain) % graph.gpus);
  return flows;
}

}  // namespace echo::network
