// Time that collectives of a block lose to each other on shared links.
#pragma once

#include <cstdint>
#include <vector>

#include "simulate/prices/prices.hpp"
#include "workload/workload.hpp"

namespace echo::simulate {

// Time that collectives of `part` take longer because those of `beside` run at once, by the link.
struct SharedTime {
  TimeCategory part{}, beside{};
  Bottleneck link{};
  SimTime lost{};
};

// Adds those of `count` such blocks, as the prices have them slow each other. One entry for each part, other
// part and link.
void add_shared_time(const workload::OpGraph&, const Prices&, std::int64_t count,
                     std::vector<SharedTime>& out);

}  // namespace echo::simulate
