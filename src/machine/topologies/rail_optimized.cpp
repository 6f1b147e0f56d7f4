// Rails: the i-th NIC of every node hangs on the i-th leaf switch, so that a ring or a tree over
// like-numbered GPUs stays below one leaf as long as that leaf holds all its nodes; beyond `nodes_per_leaf`
// nodes the traffic climbs to a spine. Communication libraries keep to the rails, as GPUs hand data over
// NVLink to the one on the right rail (PXN), so crossing rails is not modelled. A group of n nodes is taken
// to start on a leaf boundary. Source: NVIDIA DGX SuperPOD reference architecture RA-11333 (compute fabric);
// NCCL NCCL_CROSS_NIC=0.
#include "machine/nic_share.hpp"

namespace echo::machine::topologies {
namespace {

GroupLinks links_of_group(const GroupSpan& span, const ClusterSpec& cluster, const GpuSpec& gpu) {
  GroupLinks links = without_fabric(span, cluster, gpu);
  if (span.nodes <= 1) return links;
  const bool one_leaf = cluster.nodes_per_leaf <= 0 || nodes_spanned(span, cluster) <= cluster.nodes_per_leaf;
  if (!one_leaf) cross_leaves(cluster, links);
  return links;
}

}  // namespace

extern const Topology rail_optimized;
const Topology rail_optimized{.name = "rail_optimized",
                              .source = "NVIDIA DGX SuperPOD reference architecture RA-11333",
                              .links = links_of_group};

}  // namespace echo::machine::topologies
