// Rails: the i-th NIC of every node is on the i-th leaf switch, so that a ring or a tree over like-numbered
// GPUs stays below one leaf as long as that leaf holds all its nodes; beyond `nodes_per_leaf` nodes the
// traffic passes a spine. Communication libraries stay on the rails, as GPUs pass data over NVLink to the
// one on the right rail (PXN), so crossing rails is not modelled. A group of n nodes is assumed to start on
// a leaf boundary. Source: NVIDIA DGX SuperPOD reference architecture RA-11333 (compute fabric); NCCL
// NCCL_CROSS_NIC=0.
#include "machine/graph_parts.hpp"

namespace echo::machine::topologies {

static GroupLinks links(const GroupSpan& span, Traffic traffic, const ClusterSpec& cluster,
                        const GpuSpec& gpu) {
  return links_through_leaves(span, traffic, Leaves::by_rail, cluster, gpu);
}

static void build(const ClusterSpec& cluster, std::int32_t domains, NetworkGraph& out) {
  add_switched_domains(cluster, domains, out);
  add_leaves_and_spines(cluster, Leaves::by_rail, 1.0, out);
  out.index_links();
}

extern const Topology rail_optimized;
const Topology rail_optimized{.name = "rail_optimized",
                              .code = 8,
                              .source = "NVIDIA DGX SuperPOD reference architecture RA-11333",
                              .links = links,
                              .build = build};

}  // namespace echo::machine::topologies
