// What the methods that reduce in the network's switches share.
#pragma once

#include "collective/communicator.hpp"

namespace echo::collective {

// SHARP is there and NCCL told to use it, two nodes or more, up to eight GPUs on each.
[[nodiscard]] inline bool has_collnet(const Communicator& c) {
  constexpr std::int32_t most_local = 8;  // NCCL_MAX_DIRECT_ARITY + 1
  return c.sharp && c.multi_node() && c.tables->collnet_arity > 0.0 && c.per_node <= most_local;
}

}  // namespace echo::collective
