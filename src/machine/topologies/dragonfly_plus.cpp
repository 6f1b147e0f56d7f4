// Dragonfly whose groups are leaf-spine networks: `leaves_per_pod` leaves of `nodes_per_leaf` nodes and the
// spines over them, each spine joined to the corresponding spines of all other groups. With P nodes per
// group and G groups, in units of a node's bandwidth
//   leaf to spine  p / oversubscription,   group to group  P / (spine_oversubscription (G - 1))
// When each node sends to the one s further on, s of a group's nodes send to the next group (at most P; for
// larger s, as many as leave together for s mod P); among all pairs of n nodes every two groups exchange P P
// / (n - 1). Exact for adaptive routing. Source: Shpiner et al., "Dragonfly+: low cost topology for scaling
// datacenters", HiPINEB 2017. Neglected: detours over a third group.
#include <algorithm>

#include "machine/graph_parts.hpp"

namespace echo::machine::topologies {
namespace {

// Leaves of a group, groups of the machine.
struct Groups {
  std::int32_t leaves = 1, count = 1;
};

Groups groups_of(const ClusterSpec& c, std::int32_t nodes) {
  const std::int32_t under = c.nodes_per_leaf > 0 ? c.nodes_per_leaf : nodes;
  const std::int32_t leaves = (nodes + under - 1) / under;
  const std::int32_t own = c.leaves_per_pod > 0 ? c.leaves_per_pod : leaves;
  return {own, std::max(c.groups, (leaves + own - 1) / own)};
}

double trunk_of(const ClusterSpec& c, const Groups& groups, double group_nodes) {
  return group_nodes / (std::max(c.spine_oversubscription, 1.0) * std::max(groups.count - 1, 1));
}

GroupLinks links(const GroupSpan& span, Traffic traffic, const ClusterSpec& cluster, const GpuSpec& gpu) {
  GroupLinks out = links_through_leaves(span, traffic, Leaves::by_node, cluster, gpu);
  const std::int32_t nodes = nodes_spanned(span, cluster);
  const Groups groups = groups_of(cluster, std::max(nodes, cluster.nodes));
  const double inside = static_cast<double>(cluster.nodes_per_leaf) * groups.leaves;
  if (span.nodes <= 1 || inside <= 0 || nodes <= inside) return out;
  double beyond = inside * inside / (nodes - 1);
  if (traffic == Traffic::neighbours) {
    const double apart = nodes_apart(span, cluster), rest = std::fmod(apart, inside);
    beyond = apart < inside ? apart : std::max(rest, inside - rest);
  }
  const GroupLinks unbounded = without_fabric(span, cluster, gpu);
  const double trunk = trunk_of(cluster, groups, inside) / beyond;
  out.scale_out.bandwidth = std::min(out.scale_out.bandwidth, unbounded.scale_out.bandwidth * trunk);
  out.scale_out.latency = cluster.scale_out.latency * 4;
  return out;
}

void build(const ClusterSpec& cluster, std::int32_t domains, NetworkGraph& out) {
  add_switched_domains(cluster, domains, out);
  const std::int32_t nodes = nodes_in(cluster, out);
  const Groups groups = groups_of(cluster, nodes);
  const LeafRow leaves = add_leaves(cluster, Leaves::by_node, 1.0, out, groups.leaves * groups.count);
  if (leaves.count == 1) return out.index_links();
  std::vector<SwitchRow> spines;  // of each group
  for (std::int32_t group = 0; group < groups.count; ++group)
    spines.push_back(add_level({.first = leaves.first + group * groups.leaves, .count = groups.leaves},
                               leaves.down / std::max(cluster.oversubscription, 1.0), rail_bandwidth(cluster),
                               LinkPlace::leaf, cluster.scale_out.latency, out));
  const BytesPerSecond node = rail_bandwidth(cluster) * rails_of(cluster);
  const double under = leaves.down / node;
  const BytesPerSecond trunk =
      node * (trunk_of(cluster, groups, under * groups.leaves) / spines.front().count);
  for (std::size_t group = 0; group < spines.size(); ++group)
    for (std::size_t other = group + 1; other < spines.size(); ++other)
      for (std::int32_t i = 0; i < spines.front().count; ++i)
        out.join(spines[group].first + i, spines[other].first + i, trunk, cluster.scale_out.latency,
                 LinkPlace::global);
  out.index_links();
}

}  // namespace

extern const Topology dragonfly_plus;
const Topology dragonfly_plus{.name = "dragonfly_plus",
                              .code = 2,
                              .source = "Shpiner et al. 2017",
                              .links = links,
                              .build = build,
                              .sized = true};

}  // namespace echo::machine::topologies
