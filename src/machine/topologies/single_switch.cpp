// One switch, or a fabric that is equivalent to one: every NIC reaches every other at full rate over one
// switch.
#include "machine/graph_parts.hpp"

namespace echo::machine::topologies {

static GroupLinks links(const GroupSpan& span, Traffic, const ClusterSpec& cluster, const GpuSpec& gpu) {
  return without_fabric(span, cluster, gpu);
}

static void build(const ClusterSpec& cluster, std::int32_t domains, NetworkGraph& out) {
  add_switched_domains(cluster, domains, out);
  ClusterSpec one_leaf = cluster;
  one_leaf.nodes_per_leaf = 0;
  (void)add_leaves(one_leaf, Leaves::by_node, 1.0, out);
  out.index_links();
}

extern const Topology single_switch;
const Topology single_switch{.name = "single_switch",
                             .code = 9,
                             .source = "definition: non-blocking crossbar",
                             .links = links,
                             .build = build};

}  // namespace echo::machine::topologies
