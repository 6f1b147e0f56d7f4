// Inputs of the white-box model for a profiled, not priced, kernel.
#pragma once

#include "learn/candidates/examples.hpp"

namespace echo::learn {

// Communication that is missing in the row.
struct AssumedCommunication {
  double sm_share = 0.0;      // SMs its channels occupy, of all
  double memory_share = 0.0;  // HBM bandwidth it draws, of peak
  SimTime time{};             // alone
};

// From measured metrics:
//   sm_share       SMs the kernel keeps busy: its blocks over the SMs, if the row has both; else achieved
//                  over maximum occupancy, which falls where the last wave leaves SMs empty
//   memory_share   DRAM throughput
//   compute_bound  compute throughput over the sum of compute and memory throughput; by_memory the rest of it
// A missing metric counts as 0, sm_share as 1; the time alone is the row's. Channels and HBM traffic of the
// communication are the row's if it has them and the machine is known, else the assumed ones; its time alone
// too.
[[nodiscard]] Pair pair_of_metrics(const Example&, const AssumedCommunication&);

}  // namespace echo::learn
