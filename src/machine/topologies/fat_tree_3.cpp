// Three-level fat tree, node by node: `leaves_per_pod` leaves of `nodes_per_leaf` nodes and the spines over
// them are a pod; cores join corresponding spines of all pods. Every level has its own oversubscription:
// leaf to spine `oversubscription`, pod to core `spine_oversubscription`, so that a group gets, with all
// groups busy at once,
//   inside a leaf 1,  inside a pod 1 / leaf,  beyond 1 / (leaf * pod)
// of its NICs, over 1, 3 and 5 switches. A single ring would be faster (neglected), flows under ECMP slower
// (hashed_flows.cpp; by the lower level only). Source: Al-Fares, Loukissas, Vahdat, "A scalable, commodity
// data center network architecture", SIGCOMM 2008.
#include <algorithm>

#include "machine/graph_parts.hpp"

namespace echo::machine::topologies {

static GroupLinks links(const GroupSpan& span, Traffic traffic, const ClusterSpec& cluster,
                        const GpuSpec& gpu) {
  GroupLinks out = links_through_leaves(span, traffic, Leaves::by_node, cluster, gpu);
  const std::int64_t pod = static_cast<std::int64_t>(cluster.nodes_per_leaf) * cluster.leaves_per_pod;
  if (pod <= 0 || nodes_spanned(span, cluster) <= pod) return out;
  out.scale_out.latency = cluster.scale_out.latency;
  climb(cluster.spine_oversubscription, 5, out);
  return out;
}

static void build(const ClusterSpec& cluster, std::int32_t domains, NetworkGraph& out) {
  add_switched_domains(cluster, domains, out);
  const LeafRow leaves = add_leaves(cluster, Leaves::by_node, 1.0, out);
  const std::int32_t pod =
      cluster.leaves_per_pod > 0 ? std::min(cluster.leaves_per_pod, leaves.count) : leaves.count;
  const SimTime hop = cluster.scale_out.latency;
  const BytesPerSecond cable = rail_bandwidth(cluster);
  const BytesPerSecond up = leaves.down / std::max(cluster.oversubscription, 1.0);
  std::vector<SwitchRow> spines;  // of each pod
  for (std::int32_t first = 0; first < leaves.count && leaves.count > 1; first += pod)
    spines.push_back(add_level({.first = leaves.first + first, .count = std::min(pod, leaves.count - first)},
                               up, cable, LinkPlace::leaf, hop, out));
  for (std::int32_t i = 0; spines.size() > 1 && i < spines.front().count; ++i) {
    const SwitchRow alike{.first = spines.front().first + i,
                          .count = static_cast<std::int32_t>(spines.size()),
                          .stride = spines.front().count};
    const double down = (up * static_cast<double>(pod)).value / spines.front().count;
    add_level(alike, BytesPerSecond(down / std::max(cluster.spine_oversubscription, 1.0)), cable,
              LinkPlace::spine, hop, out);
  }
  out.index_links();
}

extern const Topology fat_tree_3;
const Topology fat_tree_3{
    .name = "fat_tree_3", .code = 5, .source = "Al-Fares et al. 2008", .links = links, .build = build};

}  // namespace echo::machine::topologies
