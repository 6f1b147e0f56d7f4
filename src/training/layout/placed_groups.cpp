// A packed group's shape follows from its size and stride. Any other placement is looked up: every group of
// a kind is placed on the machine, and the slowest of them represents all, because an op that waits for a
// group waits for the slowest group of its kind. Cost: one look at each rank for each kind of group, only
// where ranks are not packed.
#include "training/layout/placed_groups.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/at.hpp"

namespace echo::training {

machine::GroupSpan placed_span(std::int32_t ranks, std::int32_t inner, std::int32_t stride,
                               const Placed& placed) {
  machine::GroupSpan worst{.ranks = ranks, .nodes = 0, .stride = ranks > 1 ? stride : 1};
  placed.counts.assign(at((placed.gpus + placed.domain - 1) / placed.domain), 0);
  const std::int64_t block = std::int64_t{ranks / inner} * stride;
  for (std::int64_t first = 0; first < placed.gpus; first += inner) {
    const auto member = [&](std::int32_t i) { return first + i % inner + std::int64_t{i / inner} * stride; };
    if (first % block >= stride || member(ranks - 1) >= placed.gpus) continue;
    const auto slot = [&](std::int32_t i) { return placed.slots[at(member(i))]; };
    machine::GroupSpan group = worst;
    group.nodes = 0, group.ranks_per_node = 1;
    std::int32_t low = placed.gpus, high = 0, apart = placed.gpus;
    for (std::int32_t i = 0; i < ranks; ++i) {
      std::int32_t& there = placed.counts[at(slot(i) / placed.domain)];
      group.nodes += there == 0 ? 1 : 0;
      group.ranks_per_node = std::max(group.ranks_per_node, ++there);
      low = std::min(low, slot(i)), high = std::max(high, slot(i));
      if (i > 0 && slot(i) / placed.domain != slot(i - 1) / placed.domain)
        apart = std::min(apart, std::abs(slot(i) - slot(i - 1)));
    }
    for (std::int32_t i = 0; i < ranks; ++i) placed.counts[at(slot(i) / placed.domain)] = 0;
    if (group.nodes > 1) {
      group.extent = high / placed.gpus_per_node - low / placed.gpus_per_node + 1;
      group.stride = apart;
      group.sharing = std::max(1, std::min(placed.domain, placed.gpus) / group.ranks_per_node);
    }
    if (std::pair(group.nodes, group.extent) > std::pair(worst.nodes, worst.extent)) worst = group;
  }
  worst.nodes = std::max(worst.nodes, 1);
  return worst;
}

}  // namespace echo::training
