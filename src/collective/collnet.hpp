// Common parts of the methods that reduce in the network's switches.
#pragma once

#include "collective/communicator.hpp"

namespace echo::collective {

// SHARP is available and NCCL set to use it, two nodes or more, up to eight GPUs on each.
[[nodiscard]] inline bool has_collnet(const Communicator& c) {
  constexpr std::int32_t most_local = 8;  // NCCL_MAX_DIRECT_ARITY + 1
  return c.sharp && c.multi_node() && c.tables->collnet_arity > 0.0 && c.per_node <= most_local;
}

}  // namespace echo::collective
