// Bandwidths are those of nic_share.cpp: a GPU injects its even share of the node's NICs. Where there are
// fewer NICs than GPUs, the i-th GPU uses NIC i mod n, so that neighbours use different ones (a machine that
// pairs neighbours differs only in their numbers). Levels of switches are made of cables as fast as a NIC,
// as many as the oversubscription leaves: flows that hashing places on one cable collide, as they do in the
// machine. Latency is that of the switches a path visits, so that one leaf costs one hop and leaf - spine -
// leaf three. Neglected: PCIe switches between GPUs and NICs; cables of several lanes sold as one.
#include "machine/graph_parts.hpp"

#include <algorithm>
#include <cmath>

#include "base/contract.hpp"

namespace echo::machine {

std::int32_t domain_of(const ClusterSpec& cluster) {
  return std::max(cluster.gpus_per_node, cluster.scale_up_domain);
}

std::int32_t nodes_in(const ClusterSpec& cluster, const NetworkGraph& graph) {
  return (graph.gpus + cluster.gpus_per_node - 1) / cluster.gpus_per_node;
}

std::int32_t rails_of(const ClusterSpec& cluster) {
  return std::min(cluster.gpus_per_node, cluster.nics_per_node);
}

BytesPerSecond rail_bandwidth(const ClusterSpec& cluster) {
  return cluster.scale_out.bandwidth * (static_cast<double>(cluster.nics_per_node) / rails_of(cluster));
}

static void add_gpus(const ClusterSpec& cluster, std::int32_t domains, NetworkGraph& out) {
  ECHO_EXPECT(domains >= 1 && cluster.gpus_per_node >= 1 && cluster.nics_per_node >= 1);
  out = {};
  out.domain = domain_of(cluster);
  out.gpus = out.vertices = domains * out.domain;
}

void add_switched_domains(const ClusterSpec& cluster, std::int32_t domains, NetworkGraph& out) {
  add_gpus(cluster, domains, out);
  if (out.domain == 1) return;
  const SwitchRow row = add_switches(domains, out);
  for (std::int32_t gpu = 0; gpu < out.gpus; ++gpu)
    out.hang(gpu, row.first + gpu / out.domain, cluster.scale_up.bandwidth, cluster.scale_up.latency,
             LinkPlace::scale_up);
}

void add_meshed_domains(const ClusterSpec& cluster, std::int32_t domains, NetworkGraph& out) {
  add_gpus(cluster, domains, out);
  if (out.domain == 1) return;
  const BytesPerSecond each = cluster.scale_up.bandwidth / static_cast<double>(out.domain - 1);
  for (std::int32_t gpu = 0; gpu < out.gpus; ++gpu)
    for (std::int32_t peer = gpu + 1; peer < (gpu / out.domain + 1) * out.domain; ++peer)
      out.join(gpu, peer, each, cluster.scale_up.latency, LinkPlace::direct);
}

// Joins the i-th GPU of every node to a leaf of the node's group: to that of its rail, if leaves are per
// rail.
static void attach_nodes(const ClusterSpec& cluster, const LeafRow& leaves, std::int32_t group_nodes,
                         double share, NetworkGraph& out) {
  const std::int32_t rails = rails_of(cluster), per_node = cluster.gpus_per_node;
  const BytesPerSecond bandwidth = rail_bandwidth(cluster) * share;
  const bool shared = cluster.nics_per_node < per_node;
  for (std::int32_t node = 0; node * per_node < out.gpus; ++node) {
    const std::int32_t group = leaves.first + node / group_nodes * leaves.side_by_side;
    const std::int32_t gpus = std::min(per_node, out.gpus - node * per_node);
    for (std::int32_t rail = 0; rail < std::min(rails, gpus); ++rail) {
      std::int32_t below = node * per_node + rail;
      if (shared) {
        below = out.add_vertex();
        for (std::int32_t gpu = rail; gpu < gpus; gpu += rails)
          out.join(node * per_node + gpu, below, bandwidth, SimTime::zero(), LinkPlace::host);
      }
      out.hang(below, group + rail % leaves.side_by_side, bandwidth, cluster.scale_out.latency,
               LinkPlace::nic);
    }
  }
}

SwitchRow add_switches(std::int32_t count, NetworkGraph& out) {
  const SwitchRow row{.first = out.vertices, .count = count};
  out.vertices += count;
  return row;
}

LeafRow add_leaves(const ClusterSpec& cluster, Leaves leaves, double share, NetworkGraph& out,
                   std::int32_t at_least) {
  const std::int32_t nodes = nodes_in(cluster, out), rails = rails_of(cluster);
  const std::int32_t under = cluster.nodes_per_leaf > 0 ? std::min(cluster.nodes_per_leaf, nodes) : nodes;
  const std::int32_t side_by_side = leaves == Leaves::by_rail ? rails : 1;
  const double ports = static_cast<double>(under) * rails / side_by_side;
  const SwitchRow row = add_switches(std::max((nodes + under - 1) / under * side_by_side, at_least), out);
  const LeafRow made{row, side_by_side, rail_bandwidth(cluster) * (share * ports)};
  attach_nodes(cluster, made, under, share, out);
  return made;
}

SwitchRow add_level(const SwitchRow& below, BytesPerSecond uplink, BytesPerSecond cable, LinkPlace place,
                    SimTime latency, NetworkGraph& out) {
  const SwitchRow above =
      add_switches(std::max(1, static_cast<std::int32_t>(std::lround(uplink / cable))), out);
  for (std::int32_t i = 0; i < below.count; ++i)
    for (std::int32_t j = 0; j < above.count; ++j)
      out.join(below.first + i * below.stride, above.first + j, uplink / static_cast<double>(above.count),
               latency, place);
  return above;
}

void add_leaves_and_spines(const ClusterSpec& cluster, Leaves leaves, double share, NetworkGraph& out) {
  const LeafRow row = add_leaves(cluster, leaves, share, out);
  if (row.count == 1) return;
  add_level(row, row.down / std::max(cluster.oversubscription, 1.0), rail_bandwidth(cluster) * share,
            LinkPlace::leaf, cluster.scale_out.latency, out);
}

}  // namespace echo::machine
