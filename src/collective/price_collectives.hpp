// Collective times: NCCL's own choice of algorithm and protocol, then the predicted time of that choice.
#pragma once

#include <span>

#include "collective/constants.hpp"
#include "machine/topology.hpp"
#include "ops/collective.hpp"

namespace echo::collective {

// Pure. `settings`: resolved communicator settings (version 0 = the cluster's; then `nccl_version` holds).
[[nodiscard]] ops::CollectiveEstimate price(const ops::CollectiveQuery&, const machine::GroupLinks&,
                                            const ops::CommSettings&, std::int32_t nccl_version,
                                            const NetworkConstants&);

}  // namespace echo::collective
