// How the NICs of a node are dealt out to a group: the part every topology shares.
#pragma once

#include "machine/topology.hpp"

namespace echo::machine {

// The links of `span` on a fabric that is itself no bottleneck.
[[nodiscard]] GroupLinks without_fabric(const GroupSpan&, const ClusterSpec&, const GpuSpec&);

// Nodes from the first to the last member, both counted, members evenly spread.
[[nodiscard]] std::int32_t nodes_spanned(const GroupSpan&, const ClusterSpec&);

// A group that leaves its leaf switch: `oversubscription` fewer uplinks, leaf - spine - leaf instead of one
// switch.
void cross_leaves(const ClusterSpec&, GroupLinks& links);

// Leaf switches under a spine: full links inside a leaf's `nodes_per_leaf` nodes (0 = all), crossed leaves
// beyond.
[[nodiscard]] GroupLinks links_through_leaves(const GroupSpan&, const ClusterSpec&, const GpuSpec&);

}  // namespace echo::machine
