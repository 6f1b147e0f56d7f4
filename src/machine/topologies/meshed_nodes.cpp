// Nodes without a switch: every two GPUs of a node share a link of their own, so a group of n of them has n
// - 1 links to itself and leaves the others idle; two GPUs of eight communicate at a seventh of the rate of
// eight. The network between the nodes is that of rails. A GPU that is alone on its node keeps the whole
// rate: it has no partner there. Source: AMD CDNA 3 architecture white paper (eight MI300X, fully
// connected); ROCm blog Understanding RCCL Bandwidth and xGMI Performance on AMD Instinct MI300X ("only a
// fraction of the available bandwidth" for 2 or 4 GPUs). Neglected: paths over a third GPU.
#include <algorithm>

#include "machine/graph_parts.hpp"

namespace echo::machine::topologies {

static GroupLinks links(const GroupSpan& span, Traffic traffic, const ClusterSpec& cluster,
                        const GpuSpec& gpu) {
  GroupLinks out = links_through_leaves(span, traffic, Leaves::by_rail, cluster, gpu);
  const std::int32_t all = cluster.scale_up_domain - 1;
  const std::int32_t own = std::min(span.ranks_per_node - 1, all);
  if (own >= 1) out.scale_up.bandwidth = out.scale_up.bandwidth * (static_cast<double>(own) / all);
  return out;
}

static void build(const ClusterSpec& cluster, std::int32_t domains, NetworkGraph& out) {
  add_meshed_domains(cluster, domains, out);
  add_leaves_and_spines(cluster, Leaves::by_rail, 1.0, out);
  out.index_links();
}

extern const Topology meshed_nodes;
const Topology meshed_nodes{.name = "meshed_nodes",
                            .code = 6,
                            .source = "AMD CDNA 3 architecture white paper",
                            .links = links,
                            .build = build,
                            .is_meshed = true};

}  // namespace echo::machine::topologies
