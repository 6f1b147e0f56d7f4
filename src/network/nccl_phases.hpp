// Transfers of NCCL's methods over the links of a machine, in phases.
#pragma once

#include <cstdint>

#include "ops/collective.hpp"
#include "textbook/phases.hpp"

namespace echo::network {

// ring: steps of a ring through all members; tree: two binary trees over nodes, chains within; nvls_tree: the
// switch of a node reduces, trees between nodes; pairwise: every member to every other, also a single send.
enum class Method : std::int8_t { ring, tree, nvls_tree, pairwise };

// Members are ordered by node, `per_node` on each. `payload` as in ops::CollectiveQuery.
struct GroupShape {
  std::int32_t ranks = 1, per_node = 1;
};

// Replaces `out`. Methods that serve no such collective fall back to the ring, as NCCL does.
void phases_of(Method, ops::CollectiveKind, std::int64_t payload, GroupShape, textbook::Phases& out);

}  // namespace echo::network
