// A node's NICs serve its GPUs evenly. A group with q members on a node drives the NICs of those members;
// when there are fewer NICs than GPUs it may reach up to q of them, and its `sharing` siblings, busy at the
// same time, leave it its fair share:
//   bandwidth = rate * min(reach, nics / sharing),   reach = q * nics / gpus, or min(q, nics) when NICs are
//   scarce
// A group whose members all sit in one scale-up domain (a node, or an NVL72 rack) sees the scale-up network
// only. "Node" of a GroupSpan is such a domain. Neglected: PCIe distance, dual-port cards, GPUs that borrow
// an idle NIC.
#include "machine/nic_share.hpp"

#include <algorithm>

#include "base/contract.hpp"

namespace echo::machine {

GroupLinks without_fabric(const GroupSpan& span, const ClusterSpec& cluster, const GpuSpec& gpu) {
  ECHO_EXPECT(cluster.gpus_per_node >= 1);
  GroupLinks links;
  links.scale_up = cluster.scale_up;
  links.gpus_per_node = cluster.gpus_per_node;
  links.compute_capability = gpu.compute_capability;
  links.cpu = cluster.cpu;
  if (span.nodes <= 1) {
    links.nics = 0;
    return links;
  }
  const double domain = std::max(cluster.gpus_per_node, cluster.scale_up_domain);
  const double per_gpu = static_cast<double>(cluster.nics_per_node) / cluster.gpus_per_node;
  const double members = span.ranks_per_node, all = per_gpu * domain;
  const double reach = per_gpu >= 1.0 ? members * per_gpu : std::min(members, all);
  const double fair = std::min(reach, all / std::max(span.sharing, 1));
  links.scale_out = cluster.scale_out;
  links.scale_out.bandwidth = cluster.scale_out.bandwidth * fair;
  links.nics = std::max(1, static_cast<std::int32_t>(reach));
  return links;
}

std::int32_t nodes_spanned(const GroupSpan& span, const ClusterSpec& cluster) {
  if (span.nodes <= 1) return 1;
  const std::int64_t last = static_cast<std::int64_t>(span.ranks - 1) * span.stride;
  const auto extent = static_cast<std::int32_t>(last / cluster.gpus_per_node + 1);
  return std::max(extent, span.nodes);
}

void cross_leaves(const ClusterSpec& cluster, GroupLinks& links) {
  links.scale_out.bandwidth = links.scale_out.bandwidth * (1.0 / std::max(cluster.oversubscription, 1.0));
  links.scale_out.latency *= 3;
}

GroupLinks links_through_leaves(const GroupSpan& span, const ClusterSpec& cluster, const GpuSpec& gpu) {
  GroupLinks links = without_fabric(span, cluster, gpu);
  if (span.nodes <= 1) return links;
  const bool one_leaf = cluster.nodes_per_leaf <= 0 || nodes_spanned(span, cluster) <= cluster.nodes_per_leaf;
  if (!one_leaf) cross_leaves(cluster, links);
  return links;
}

}  // namespace echo::machine
