// A closed form includes one group and the number that share its NICs. The uplinks they share, the placement
// by hashing and the links of a torus that a ring needs are modelled by flows: those of all groups that
// correspond to the one asked for, side by side (side_by_side.cpp). The time until the last flow has ended
// gives the bandwidth that a node had to itself.
#include "network/flow_links.hpp"

#include <algorithm>

#include "base/at.hpp"
#include "machine/graph_parts.hpp"
#include "network/flow_level.hpp"

namespace echo::network {
namespace {

using machine::GroupSpan;

// Bytes of one transfer: large compared with the rounding, a picosecond in a microsecond at least.
constexpr std::int64_t piece = 1'000'000'000;

// Hashed flows that are still simulated one by one: a fraction of a second.
constexpr std::size_t most_hashed = 1 << 14;

}  // namespace

machine::GroupLinks flow_links(const GroupSpan& span, Traffic traffic, const machine::GroupLinks& closed,
                               const machine::ClusterSpec& cluster, std::uint64_t seed) {
  machine::GroupLinks links = closed;
  const std::int32_t domain = machine::domain_of(cluster);
  if (span.nodes <= 1 || !is_regular(span, domain)) return links;
  const auto& topology = *machine::topology_table()[at(cluster.topology.index())];
  machine::NetworkGraph graph;
  const std::int32_t gpus = span.stride * span.ranks;
  topology.build(cluster, (gpus + domain - 1) / domain, graph);
  const textbook::Phases phases = side_by_side(span, traffic, piece, domain);

  const std::vector<std::int32_t> slots = slots_of(graph, traffic.scattered, seed);
  Router router(graph, cluster.routing, seed);
  std::vector<LinkUse> uses;
  SimTime latency{};
  std::vector<double> load(graph.links.size(), 0.0);  // bytes
  for (const textbook::Transfer& t : phases.transfers) {
    router.route(slots[at(t.from)], slots[at(t.to)], 0, uses);
    latency = std::max(latency, router.latency_of(uses));
    for (const LinkUse& use : uses) load[at(use.link)] += use.share * static_cast<double>(t.bytes);
  }
  SimTime time{};
  if (cluster.routing == machine::Routing::ecmp && phases.transfers.size() > most_hashed) {
    for (std::size_t l = 0; l < load.size(); ++l)
      time = std::max(time, from_seconds(load[l] / graph.links[l].bandwidth.value));
  } else {
    for (machine::Link& link : graph.links) link.latency = SimTime::zero();
    const Activity activity{.phases = &phases, .gpus = slots};
    time = simulate_flows(graph, router, {&activity, 1}).end[0];
  }

  links.scale_out.bandwidth = BytesPerSecond(bytes_of_node(span, traffic, piece) / to_seconds(time));
  links.scale_out.latency = latency;
  return links;
}

}  // namespace echo::network
