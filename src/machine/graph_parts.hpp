// Building blocks of topology graphs: scale-up domains, NICs, levels of switches.
#pragma once

#include <cstdint>

#include "machine/cluster.hpp"
#include "machine/network_graph.hpp"
#include "machine/nic_share.hpp"

namespace echo::machine {

// GPUs in one scale-up network, a "node" of GroupSpan.
[[nodiscard]] std::int32_t domain_of(const ClusterSpec&);
// Nodes in the sense of gpus_per_node.
[[nodiscard]] std::int32_t nodes_in(const ClusterSpec&, const NetworkGraph&);
// NICs of a node that connect to separate switches: at most one per GPU; further NICs are merged.
[[nodiscard]] std::int32_t rails_of(const ClusterSpec&);
[[nodiscard]] BytesPerSecond rail_bandwidth(const ClusterSpec&);

// All GPUs, and one switch per domain.
void add_switched_domains(const ClusterSpec&, std::int32_t domains, NetworkGraph& out);
// All GPUs, and a link between every two GPUs of a domain.
void add_meshed_domains(const ClusterSpec&, std::int32_t domains, NetworkGraph& out);

// Switches first, first + stride, ...
struct SwitchRow {
  std::int32_t first = 0, count = 0, stride = 1;
};
[[nodiscard]] SwitchRow add_switches(std::int32_t count, NetworkGraph& out);

// Leaf switches over all nodes, one per `nodes_per_leaf` nodes, and the cables that connect the nodes to them
// with `share` of each NIC's bandwidth; at least `at_least` leaves. By rail: one leaf per NIC of a node, side
// by side.
struct LeafRow : SwitchRow {
  std::int32_t side_by_side = 1;
  BytesPerSecond down;  // total of the nodes below a leaf
};
[[nodiscard]] LeafRow add_leaves(const ClusterSpec&, Leaves, double share, NetworkGraph& out,
                                 std::int32_t at_least = 1);

// Switches above a row whose switches each send `uplink` upwards in total: as many switches as cables of
// `cable` bandwidth add up to that; each is connected to every switch below.
SwitchRow add_level(const SwitchRow& below, BytesPerSecond uplink, BytesPerSecond cable, LinkPlace place,
                    SimTime latency, NetworkGraph& out);

// Leaves and, if there are several, spines above all of them.
void add_leaves_and_spines(const ClusterSpec&, Leaves, double share, NetworkGraph& out);

}  // namespace echo::machine
