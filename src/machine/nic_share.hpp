// Share of a node's NICs that a group gets: common to all topologies.
#pragma once

#include "machine/topology.hpp"

namespace echo::machine {

// The links of `span` on a fabric that is itself no bottleneck.
[[nodiscard]] GroupLinks without_fabric(const GroupSpan&, const ClusterSpec&, const GpuSpec&);

// Nodes from the first to the last member, both counted, members evenly spread.
[[nodiscard]] std::int32_t nodes_spanned(const GroupSpan&, const ClusterSpec&);

// Nodes from a member to the next member on another node.
[[nodiscard]] std::int32_t nodes_apart(const GroupSpan&, const ClusterSpec&);

// Takes `links` through uplinks that carry 1 / `oversubscription` of the NIC bandwidth, with `switches` on
// the way.
void climb(double oversubscription, std::int32_t switches, GroupLinks& links);

// Leaf switches under a spine: full links inside a leaf's `nodes_per_leaf` nodes (0 = all), beyond it those
// that the oversubscription and the routing leave.
enum class Leaves : std::int8_t { by_node, by_rail };  // under a leaf: all NICs of a node, or one of each
[[nodiscard]] GroupLinks links_through_leaves(const GroupSpan&, Traffic, Leaves, const ClusterSpec&,
                                              const GpuSpec&);

}  // namespace echo::machine
