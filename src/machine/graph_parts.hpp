// What the graphs of topologies are put together from: scale-up domains, NICs, levels of switches.
#pragma once

#include <cstdint>

#include "machine/cluster.hpp"
#include "machine/network_graph.hpp"

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

// Joins the i-th GPU of every node to the switch `first_switch + group * stride + i mod rails * rail_stride`,
// `group` being node / group_nodes: rails of a group side by side (rail_stride 1), or all on one switch (0).
struct Attachment {
  std::int32_t first_switch = 0, group_nodes = 1, stride = 1, rail_stride = 0;
  double share = 1.0;  // of the NIC's bandwidth
};
void attach_nodes(const ClusterSpec&, const Attachment&, NetworkGraph& out);

// `count` switches that stand side by side; the first of them.
[[nodiscard]] std::int32_t add_switches(std::int32_t count, NetworkGraph& out);

// Switches above [first, first + count), each of which sends up `uplink` in all: as many as cables of
// `cable` make that up, every one joined to each below. Returns how many.
std::int32_t add_level(std::int32_t first, std::int32_t count, BytesPerSecond uplink, BytesPerSecond cable,
                       LinkPlace place, SimTime latency, NetworkGraph& out);

// Leaf switches over all nodes and, where there are several, spines above them; indexes the links. By rail:
// each NIC of a node has a leaf of its own.
enum class Leaves : std::int8_t { by_node, by_rail };
void add_leaves_and_spines(const ClusterSpec&, Leaves, NetworkGraph& out);

}  // namespace echo::machine
