// Two-level fat tree, node by node: all NICs of `nodes_per_leaf` nodes (0 = of all nodes) hang on one leaf
// switch, whose uplinks carry 1 / oversubscription of what its downlinks do. A group that leaves its leaf
// gets that share: the bound reached when all groups cross at once, as data-parallel groups do, and for any
// group of which every edge crosses. A lone contiguous ring crosses each leaf once and would fare better
// (neglected), as would it under hash collisions fare worse (neglected: ECMP is taken as even). Source:
// Leiserson, "Fat-trees", IEEE Trans. Computers 1985, in the two-level form of InfiniBand clusters.
#include "machine/graph_parts.hpp"
#include "machine/nic_share.hpp"

namespace echo::machine::topologies {

static void build(const ClusterSpec& cluster, std::int32_t domains, NetworkGraph& out) {
  add_switched_domains(cluster, domains, out);
  add_leaves_and_spines(cluster, Leaves::by_node, out);
}

extern const Topology fat_tree;
const Topology fat_tree{
    .name = "fat_tree", .source = "Leiserson 1985", .links = links_through_leaves, .build = build};

}  // namespace echo::machine::topologies
