// Transfers of NCCL's methods over the links of a machine, in phases.
#pragma once

#include <cstdint>

#include "ops/collective.hpp"
#include "textbook/phases.hpp"

namespace echo::network {

// Members stand node by node, `per_node` on each. `payload` as in ops::CollectiveQuery.
struct GroupShape {
  std::int32_t ranks = 1, per_node = 1;
};

// The algorithm, among those that differ on links, that sends as this one does. ring: steps of a ring through
// all members; tree: two binary trees over nodes, chains inside; nvls_tree: the switch of a node reduces,
// trees between nodes.
[[nodiscard]] constexpr ops::NcclAlgorithm as_sent(ops::NcclAlgorithm algorithm) {
  using enum ops::NcclAlgorithm;
  return algorithm == tree || algorithm == nvls_tree ? algorithm : ring;
}

// Replaces `out`. An all-to-all goes from everyone to everyone, whatever the algorithm, a send to the last
// member; algorithms that serve no such collective fall back to the ring, as NCCL does.
void phases_of(ops::NcclAlgorithm, ops::CollectiveKind, std::int64_t payload, GroupShape,
               textbook::Phases& out);

}  // namespace echo::network
