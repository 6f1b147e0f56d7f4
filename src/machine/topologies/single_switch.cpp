// One switch, or a fabric as good as one: every NIC reaches every other at full rate, one switch between
// them.
#include "machine/graph_parts.hpp"
#include "machine/nic_share.hpp"

namespace echo::machine::topologies {

static void build(const ClusterSpec& cluster, std::int32_t domains, NetworkGraph& out) {
  add_switched_domains(cluster, domains, out);
  attach_nodes(cluster, {.first_switch = add_switches(1, out), .group_nodes = nodes_in(cluster, out)}, out);
  out.index_links();
}

extern const Topology single_switch;
const Topology single_switch{.name = "single_switch",
                             .source = "definition: non-blocking crossbar",
                             .links = without_fabric,
                             .build = build};

}  // namespace echo::machine::topologies
