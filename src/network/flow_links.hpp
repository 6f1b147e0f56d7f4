// The links that a group gets among all groups of its kind, from flow-level simulation of the machine.
#pragma once

#include <cstdint>

#include "machine/fabric.hpp"
#include "machine/topology.hpp"
#include "network/nccl_phases.hpp"

namespace echo::network {

// Replaces a topology's closed form: `scale_out` is the bandwidth of a node of the slowest group while all
// identical groups, side by side from the first GPU, communicate too; its latency is that of the longest
// path. `traffic`: rings, trees, or pairs (`all_pairs` false: a send to the last member only). Pure; builds a
// graph and its routes, so callers keep the result. Groups that are irregular or stay inside a scale-up
// domain get `closed`, the result of the closed form. `scattered`: the nodes are in random order under the
// fabric. `seed`: of that order and of hashes.
struct Traffic {
  Method method = Method::ring;
  bool all_pairs = true, scattered = false;
};
[[nodiscard]] machine::GroupLinks flow_links(const machine::GroupSpan&, Traffic,
                                             const machine::GroupLinks& closed, const machine::ClusterSpec&,
                                             std::uint64_t seed);

}  // namespace echo::network
