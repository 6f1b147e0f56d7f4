// A closed form includes one group and the number that share its NICs. The uplinks they share, the placement
// by hashing and the links of a torus that a ring needs are modelled by flows. All groups that correspond to
// the one asked for are placed side by side, `stride` of them in a block of stride * ranks GPUs, and send
// the traffic of one phase of the method between scale-up domains. The time until the last flow has ended
// gives the bandwidth that a node had to itself:
//   ring     q transfers of b bytes leave a node:                          q b / T
//   tree     the message crosses a node's NICs twice (two nodes: once):    2 S / T (S / T)
//   pairs    each of q members sends n - q transfers of b bytes:           q (n - q) b / T
// with the same convention as the closed forms, so that a method's own formula can use either. Traffic
// inside domains is left out: it does not use the fabric. Neglected: groups of other kinds (the composer
// accounts for them), a block that does not begin at a leaf.
#include "network/flow_links.hpp"

#include <algorithm>
#include <numeric>

#include "base/at.hpp"
#include "machine/graph_parts.hpp"
#include "machine/placement.hpp"
#include "network/flow_level.hpp"

namespace echo::network {
namespace {

using machine::GroupSpan;
using ops::CollectiveKind;

// Large compared with the rounding: a picosecond in a microsecond at least.
constexpr std::int64_t piece = 1'000'000'000;

// Hashed flows that are still simulated one by one: a fraction of a second.
constexpr std::size_t most_hashed = 1 << 14;

bool is_tree(ops::NcclAlgorithm algorithm) {
  return algorithm == ops::NcclAlgorithm::tree || algorithm == ops::NcclAlgorithm::nvls_tree;
}

// Payload for which one transfer between nodes is a `piece`.
std::int64_t payload_of(const GroupSpan& span, const Traffic& traffic) {
  if (traffic.kind == CollectiveKind::send_recv) return piece;
  if (traffic.kind == CollectiveKind::all_to_all) return piece * span.ranks;
  if (is_tree(traffic.algorithm)) return piece * 2 * span.ranks_per_node;
  return piece * span.ranks_per_node * span.ranks;
}

// Bytes from which the bandwidth of a node is computed.
double bytes_of(const GroupSpan& span, const Traffic& traffic) {
  const double q = span.ranks_per_node, one = static_cast<double>(piece);
  if (traffic.kind == CollectiveKind::send_recv) return q * one;
  if (traffic.kind == CollectiveKind::all_to_all) return q * one * (span.ranks - q);
  if (is_tree(traffic.algorithm)) return 2.0 * q * one * (span.nodes > 2 ? 2.0 : 1.0);
  return q * one;
}

bool is_regular(const GroupSpan& span, std::int32_t domain) {
  if (span.ranks != span.nodes * span.ranks_per_node) return false;
  return span.ranks_per_node == 1 ? span.stride >= domain : span.stride * span.ranks_per_node == domain;
}

// One phase of all groups of the block, between domains only.
textbook::Phases all_groups(const GroupSpan& span, Traffic traffic, std::int32_t domain) {
  textbook::Phases one, all;
  phases_of(traffic.algorithm, traffic.kind, payload_of(span, traffic), {span.ranks, span.ranks_per_node},
            one);
  for (std::int32_t offset = 0; offset < span.stride; ++offset) {
    for (const textbook::Transfer& t : one.transfers) {
      const std::int32_t from = offset + t.from * span.stride, to = offset + t.to * span.stride;
      if (from / domain != to / domain) all.transfers.push_back({from, to, t.bytes});
    }
  }
  all.close();
  return all;
}

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
  const textbook::Phases phases = all_groups(span, traffic, domain);

  std::vector<std::int32_t> slots;
  machine::place_ranks(traffic.scattered ? machine::Placement::scattered : machine::Placement::packed,
                       graph.gpus, domain, seed, slots);
  if (slots.empty()) {
    slots.resize(at(graph.gpus));
    std::iota(slots.begin(), slots.end(), 0);
  }
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

  links.scale_out.bandwidth = BytesPerSecond(bytes_of(span, traffic) / to_seconds(time));
  links.scale_out.latency = latency;
  return links;
}

}  // namespace echo::network
