// NCCL's choice of algorithm and protocol for a call, and the time of that choice.
#pragma once

#include "collective/algorithm.hpp"

namespace echo::collective {

struct Choice {
  const Algorithm* algorithm = nullptr;
  ops::Protocol protocol = ops::Protocol::simple;
  double nccl_time = 0.0;
};

// The minimum of NCCL's estimates; forced settings apply if they support the call. `in_line`: equal calls of
// one group that a channel runs one after another, whose latencies add up in rings.
[[nodiscard]] Choice choose(const Call&, const Communicator&, const ops::CommSettings&,
                            std::int32_t in_line = 1);

[[nodiscard]] ops::CollectiveEstimate estimate_of(const Call&, const Communicator&, const Choice&,
                                                  const NetworkConstants&);

}  // namespace echo::collective
