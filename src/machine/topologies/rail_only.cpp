// Rails without a spine over them: like-numbered GPUs of all nodes are joined by a network of their own
// (leaves of `nodes_per_leaf` nodes, with the rail's own spines above where there are several), and only the
// GPUs of a node join the rails: data for another rail goes over NVLink first. A group that stays on its
// rail gets the same as on rail_optimized. One whose members send to every other sends 1 - 1 / rails of its
// data to other rails, which NVLink must carry in addition:
//   rate <= scale_up / (1 - 1 / rails)    per GPU
// Source: Wang et al., "Rail-only: a low-cost high-performance network for training LLMs with trillion
// parameters", 2023 (arXiv 2307.12169). Neglected: two GPUs of a node that both send to the same rail of
// other nodes share its NIC; a group with one member in each node on different rails.
#include <algorithm>

#include "machine/graph_parts.hpp"

namespace echo::machine::topologies {

static GroupLinks links(const GroupSpan& span, Traffic traffic, const ClusterSpec& cluster,
                        const GpuSpec& gpu) {
  GroupLinks out = links_through_leaves(span, traffic, Leaves::by_rail, cluster, gpu);
  const double rails = rails_of(cluster);
  if (span.nodes <= 1 || traffic != Traffic::all_pairs || rails == 1.0) return out;
  const BytesPerSecond carried = cluster.scale_up.bandwidth * (span.ranks_per_node / (1.0 - 1.0 / rails));
  out.scale_out.bandwidth = std::min(out.scale_out.bandwidth, carried);
  return out;
}

static void build(const ClusterSpec& cluster, std::int32_t domains, NetworkGraph& out) {
  add_switched_domains(cluster, domains, out);
  const LeafRow leaves = add_leaves(cluster, Leaves::by_rail, 1.0, out);
  const std::int32_t groups = leaves.count / leaves.side_by_side;
  for (std::int32_t rail = 0; rail < leaves.side_by_side && groups > 1; ++rail)
    add_level({.first = leaves.first + rail, .count = groups, .stride = leaves.side_by_side},
              leaves.down / std::max(cluster.oversubscription, 1.0), rail_bandwidth(cluster), LinkPlace::leaf,
              cluster.scale_out.latency, out);
  out.index_links();
}

extern const Topology rail_only;
const Topology rail_only{.name = "rail_only",
                         .code = 7,
                         .source = "Wang et al. 2023 (arXiv 2307.12169)",
                         .links = links,
                         .build = build};

}  // namespace echo::machine::topologies
