// What the graphs of topologies are put together from: scale-up domains, NICs, levels of switches.
#pragma once

#include <cstdint>

#include "machine/cluster.hpp"
#include "machine/network_graph.hpp"
#include "machine/nic_share.hpp"

namespace echo::machine {

// GPUs under one scale-up network, a "node" of GroupSpan.
[[nodiscard]] std::int32_t domain_of(const ClusterSpec&);
// Nodes in the sense of gpus_per_node.
[[nodiscard]] std::int32_t nodes_in(const ClusterSpec&, const NetworkGraph&);
// NICs of a node that hang on switches of their own: as many as there are GPUs at most, further ones are
// taken together.
[[nodiscard]] std::int32_t rails_of(const ClusterSpec&);
[[nodiscard]] BytesPerSecond rail_bandwidth(const ClusterSpec&);

// All GPUs, and a switch for each domain.
void add_switched_domains(const ClusterSpec&, std::int32_t domains, NetworkGraph& out);
// All GPUs, a link between every two of a domain.
void add_meshed_domains(const ClusterSpec&, std::int32_t domains, NetworkGraph& out);

// Switches first, first + stride, ...
struct SwitchRow {
  std::int32_t first = 0, count = 0, stride = 1;
};
[[nodiscard]] SwitchRow add_switches(std::int32_t count, NetworkGraph& out);

// Leaf switches over all nodes, each `nodes_per_leaf` of them, and the cables that hang the nodes on them
// with `share` of each NIC's bandwidth; more of them where `at_least` says so. By rail: a leaf for each NIC
// of a node, side by side.
struct LeafRow : SwitchRow {
  std::int32_t side_by_side = 1;
  BytesPerSecond down;  // what the nodes below a leaf send it
};
[[nodiscard]] LeafRow add_leaves(const ClusterSpec&, Leaves, double share, NetworkGraph& out,
                                 std::int32_t at_least = 1);

// Switches above a row, each of which sends up `uplink` in all: as many as cables of `cable` make that up,
// every one joined to each below.
SwitchRow add_level(const SwitchRow& below, BytesPerSecond uplink, BytesPerSecond cable, LinkPlace place,
                    SimTime latency, NetworkGraph& out);

// Leaves and, where there are several, spines above them all.
void add_leaves_and_spines(const ClusterSpec&, Leaves, double share, NetworkGraph& out);

}  // namespace echo::machine
