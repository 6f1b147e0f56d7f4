// Time that kernels and collectives of a block lose by overlapping each other.
#pragma once

#include <cstdint>
#include <vector>

#include "simulate/prices/prices.hpp"
#include "workload/workload.hpp"

namespace echo::simulate {

// A kernel and a collective: how much longer each takes because the other runs beside it. What collectives
// lose to each other is not in it (shared_time.hpp).
struct SlowedTime {
  KernelId kernel;
  CollectiveId collective;
  TimeCategory part{};  // of the collective
  SimTime beside{};     // how long the two run at once
  SimTime kernel_lost{}, collective_lost{};
};

// Adds those of `count` such blocks. One entry for each kernel, collective and part. Beside several
// collectives a kernel loses to each as the composer has it: all losses add, or the worst counts (timeline/
// block.hpp). Sums of kernel_lost differ from the block's slowdown_penalty by roundings, half a picosecond
// for each stretch of time and pair.
void add_slowed_time(const workload::OpGraph&, const Prices&, std::int64_t count,
                     std::vector<SlowedTime>& out);

}  // namespace echo::simulate
