// A node's NICs serve its GPUs evenly. A group with q members on a node drives the NICs of those members;
// when there are fewer NICs than GPUs it may reach up to q of them, and its `sharing` siblings, busy at the
// same time, leave it its fair share:
//   bandwidth = rate * min(reach, nics / sharing),   reach = q * nics / gpus, or min(q, nics) when NICs are
//                                                    scarce
// A group whose members are all in one scale-up domain (a node, or an NVL72 rack) uses the scale-up network
// only. "Node" of a GroupSpan is such a domain. Neglected: PCIe distance, dual-port cards, GPUs that borrow
// an idle NIC.
#include "machine/nic_share.hpp"

#include <algorithm>
#include <cmath>

#include "base/contract.hpp"
#include "machine/hashed_flows.hpp"

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
  if (span.extent > 0) return span.extent;
  const std::int64_t last = static_cast<std::int64_t>(span.ranks - 1) * span.stride;
  const auto extent = static_cast<std::int32_t>(last / cluster.gpus_per_node + 1);
  return std::max(extent, span.nodes);
}

std::int32_t nodes_apart(const GroupSpan& span, const ClusterSpec& cluster) {
  const std::int32_t domain = std::max(cluster.gpus_per_node, cluster.scale_up_domain);
  return std::max(1, std::max(span.stride, domain) / cluster.gpus_per_node);
}

void climb(double oversubscription, std::int32_t switches, GroupLinks& links) {
  links.scale_out.bandwidth = links.scale_out.bandwidth * (1.0 / std::max(oversubscription, 1.0));
  links.scale_out.latency *= switches;
}

GroupLinks links_through_leaves(const GroupSpan& span, Traffic traffic, Leaves leaves,
                                const ClusterSpec& cluster, const GpuSpec& gpu) {
  GroupLinks links = without_fabric(span, cluster, gpu);
  const std::int32_t under = cluster.nodes_per_leaf, nodes = nodes_spanned(span, cluster);
  if (span.nodes <= 1 || under <= 0 || nodes <= under) return links;
  climb(cluster.oversubscription, 3, links);
  if (cluster.routing == Routing::ecmp) {
    const std::int32_t rails = std::min(cluster.gpus_per_node, cluster.nics_per_node);
    const double ports = static_cast<double>(under) * (leaves == Leaves::by_node ? rails : 1);
    const double uplinks = std::max(1.0, std::round(ports / std::max(cluster.oversubscription, 1.0)));
    const double switches =
        std::ceil(static_cast<double>(nodes) / under) * (leaves == Leaves::by_rail ? rails : 1);
    // Traffic from a leaf to one other loads the cables down to that leaf as much as those up from its own.
    const double ways = traffic == Traffic::neighbours ? 1.0 : 2.0;
    const double flows = hashed_flows(traffic, span.ranks) * ports / uplinks;
    links.scale_out.bandwidth =
        links.scale_out.bandwidth * even_share_of_hashed(flows, ways * switches * uplinks);
  }
  return links;
}

}  // namespace echo::machine
