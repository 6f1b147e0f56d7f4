// Several collectives of one communicator in one ncclGroup: one kernel with shared decisions.
#pragma once

#include <span>
#include <vector>

#include "collective/price_collectives.hpp"

namespace echo::collective {

// `each`: the group's decision per query, in their order; their times divide `time` in proportion to bytes.
struct GroupEstimate {
  SimTime time{};
  std::vector<ops::CollectiveEstimate> each;
};

// Pure. All queries have the same group of ranks, and are collectives that NCCL chooses for, not sends or
// receives.
[[nodiscard]] GroupEstimate price_group(std::span<const ops::CollectiveQuery>, const machine::GroupLinks&,
                                        const ops::CommSettings&, std::int32_t nccl_version,
                                        const NetworkConstants&);

}  // namespace echo::collective
