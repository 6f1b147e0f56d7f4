// Planes: every NIC has a port on each of `planes` networks of rails, which are not connected with each
// other, so that a flow stays on the plane it started on and has at most 1 / planes of the NIC; a group,
// which has more flows than planes, has all of it. Each plane consists of leaves by rail and spines, as
// rail_optimized. Source: Qian et al., "Alibaba HPN: a data center network for large language model
// training", SIGCOMM 2024 (dual plane, each NIC 2 x 200 Gb/s; it removes hash collisions of the spine from
// the leaf). Neglected: a plane that fails.
#include "machine/graph_parts.hpp"

namespace echo::machine::topologies {

static GroupLinks links(const GroupSpan& span, Traffic traffic, const ClusterSpec& cluster,
                        const GpuSpec& gpu) {
  return links_through_leaves(span, traffic, Leaves::by_rail, cluster, gpu);
}

static void build(const ClusterSpec& cluster, std::int32_t domains, NetworkGraph& out) {
  add_switched_domains(cluster, domains, out);
  for (std::int32_t plane = 0; plane < cluster.planes; ++plane)
    add_leaves_and_spines(cluster, Leaves::by_rail, 1.0 / cluster.planes, out);
  out.index_links();
}

extern const Topology dual_plane;
const Topology dual_plane{.name = "dual_plane",
                          .code = 3,
                          .source = "Qian et al. 2024 (Alibaba HPN)",
                          .links = links,
                          .build = build};

}  // namespace echo::machine::topologies
