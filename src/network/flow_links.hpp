// The links that a group gets among all groups of its kind, from flow-level simulation of the machine.
#pragma once

#include <cstdint>

#include "machine/fabric.hpp"
#include "machine/topology.hpp"
#include "network/nccl_phases.hpp"

namespace echo::network {

// Replaces a topology's closed form: `scale_out` is the bandwidth with which a node of the
// slowest group sends its traffic while all corresponding groups, side by side from the first GPU on, do the
// same; its latency is that of the longest path. `kind`: an all-to-all or a send goes between pairs; all
// others as the algorithm's all-reduce. Pure; costs a graph and its routes, so callers keep what they got.
// Groups that are irregular or stay inside a scale-up domain see `closed`, what the closed form says.
// `scattered`: the nodes stand in random order under the fabric. `seed`: of that order and of hashes.
struct Traffic {
  ops::NcclAlgorithm algorithm = ops::NcclAlgorithm::ring;
  ops::CollectiveKind kind = ops::CollectiveKind::all_reduce;
  bool scattered = false;
};
[[nodiscard]] machine::GroupLinks flow_links(const machine::GroupSpan&, Traffic,
                                             const machine::GroupLinks& closed, const machine::ClusterSpec&,
                                             std::uint64_t seed);

}  // namespace echo::network
