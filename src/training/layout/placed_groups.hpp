// Shapes of communicators whose ranks are not packed.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/cluster.hpp"
#include "machine/group.hpp"

namespace echo::training {

// Placement of the ranks of a job: `slots` as filled by machine::place_ranks, empty if packed.
struct Placed {
  std::int32_t domain = 8, gpus_per_node = 8, gpus = 8;
  const std::vector<std::int32_t>& slots;
  std::vector<std::int32_t>& counts;  // scratch
};

// Among the groups {first + (i mod inner) + (i / inner) * stride}, i < ranks, the one on the most nodes and
// with the widest spread: the slowest determines the time. First members are the ranks at multiples of
// `inner` below `stride` in every block of `ranks / inner * stride`. `inner` = 1: members `stride` apart.
[[nodiscard]] machine::GroupSpan placed_span(std::int32_t ranks, std::int32_t inner, std::int32_t stride,
                                             const Placed&);

}  // namespace echo::training
