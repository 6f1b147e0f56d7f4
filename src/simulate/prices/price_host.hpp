// Prices of host memory copies and host updates for a GPU.
#pragma once

#include "machine/cluster.hpp"
#include "machine/gpu.hpp"
#include "ops/collective.hpp"

namespace echo::simulate {

[[nodiscard]] bool is_of_host(ops::CollectiveKind);
// Contract: is_of_host(query.kind); the catalog knows the host link, the bandwidth of the memory that the
// query is about and, for an update, of the host's.
[[nodiscard]] ops::CollectiveEstimate price_host(const ops::CollectiveQuery&, const machine::GpuSpec&,
                                                 const machine::ClusterSpec&);

}  // namespace echo::simulate
