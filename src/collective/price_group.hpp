// Several collectives of one communicator in one ncclGroup: one kernel, decisions shared.
#pragma once

#include <span>
#include <vector>

#include "collective/price_collectives.hpp"

namespace echo::collective {

// `each`: what the group decided for each query, in their order; times are shares of `time` by bytes.
struct GroupEstimate {
  SimTime time{};
  std::vector<ops::CollectiveEstimate> each;
};

// Pure. All queries name the same group of ranks, and collectives that NCCL chooses for, not sends or
// receives.
[[nodiscard]] GroupEstimate price_group(std::span<const ops::CollectiveQuery>, const machine::GroupLinks&,
                                        const ops::CommSettings&, std::int32_t nccl_version,
                                        const NetworkConstants&);

}  // namespace echo::collective
