// The links that a group gets among all groups of its kind, from flow-level simulation of the machine.
#pragma once

#include <cstdint>

#include "machine/fabric.hpp"
#include "machine/topology.hpp"
#include "network/side_by_side.hpp"

namespace echo::network {

// Replaces a topology's closed form: `scale_out` is the bandwidth with which a node of the
// slowest group sends its traffic while all corresponding groups, side by side from the first GPU on, do the
// same; its latency is that of the longest path. Pure; costs a graph and its routes, so callers keep what
// they got. Groups that are irregular or stay inside a scale-up domain see `closed`, what the closed form
// says. `seed`: of the order of scattered nodes, and of hashes.
[[nodiscard]] machine::GroupLinks flow_links(const machine::GroupSpan&, Traffic,
                                             const machine::GroupLinks& closed, const machine::ClusterSpec&,
                                             std::uint64_t seed);

}  // namespace echo::network
