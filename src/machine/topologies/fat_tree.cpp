// Two-level fat tree, node by node: all NICs of `nodes_per_leaf` nodes (0 = of all nodes) are on one leaf
// switch, whose uplinks carry 1 / oversubscription of the bandwidth of its downlinks. A group that leaves
// its leaf gets that share: the bound reached when all groups cross at once, as data-parallel groups do, and
// for any group of which every edge crosses. A single contiguous ring crosses each leaf once and would be
// faster (neglected). Under ECMP flows collide (hashed_flows.cpp). Source: Leiserson, "Fat-trees", IEEE
// Trans. Computers 1985, in the two-level form of InfiniBand clusters.
#include "machine/graph_parts.hpp"

namespace echo::machine::topologies {

static GroupLinks links(const GroupSpan& span, Traffic traffic, const ClusterSpec& cluster,
                        const GpuSpec& gpu) {
  return links_through_leaves(span, traffic, Leaves::by_node, cluster, gpu);
}

static void build(const ClusterSpec& cluster, std::int32_t domains, NetworkGraph& out) {
  add_switched_domains(cluster, domains, out);
  add_leaves_and_spines(cluster, Leaves::by_node, 1.0, out);
  out.index_links();
}

extern const Topology fat_tree;
const Topology fat_tree{
    .name = "fat_tree", .code = 4, .source = "Leiserson 1985", .links = links, .build = build};

}  // namespace echo::machine::topologies
