// RCCL's own estimate, by which it chooses between rings and trees on AMD Instinct GPUs.
#pragma once

#include "collective/algorithm.hpp"

namespace echo::collective {

// Tree or ring, LL or Simple; us.
[[nodiscard]] double rccl_time(const Call&, const Communicator&, NcclAlgorithm, ops::Protocol);
[[nodiscard]] bool rccl_allows(const Communicator&, NcclAlgorithm, ops::Protocol);

// Channels (workgroups) of a communicator.
[[nodiscard]] std::int32_t rccl_channels(std::int32_t per_node, bool multi_node);

}  // namespace echo::collective
