// Shapes of communicators whose ranks are not packed.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/cluster.hpp"
#include "machine/group.hpp"

namespace echo::training {

// Where the ranks of a job are: `slots` as machine::place_ranks fills it, empty where packed.
struct Placed {
  std::int32_t domain = 8, gpus_per_node = 8, gpus = 8;
  const std::vector<std::int32_t>& slots;
  std::vector<std::int32_t>& counts;  // scratch
};

// Of the groups {first + (i mod inner) + (i / inner) * stride}, i < ranks, the one on the most nodes, spread
// the furthest: the slowest decides. Their first members are the ranks a multiple of `inner` below `stride`
// of every block of `ranks / inner * stride`. `inner` = 1: members `stride` apart.
[[nodiscard]] machine::GroupSpan placed_span(std::int32_t ranks, std::int32_t inner, std::int32_t stride,
                                             const Placed&);

}  // namespace echo::training
