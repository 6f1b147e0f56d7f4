// Prices for everything a workload names.
#pragma once

#include "simulate/calibration.hpp"
#include "simulate/catalog.hpp"
#include "simulate/workspace.hpp"
#include "training/config.hpp"

namespace echo::simulate {

// Fills `out` for `work`; memo is consulted and extended. Throws ContractViolation if the calibration lacks
// the GPU's kernels or the cluster's network.
void price_work(const training::TrainingConfig&, const Catalog&, const Calibration&,
                const workload::Workload& work, PriceMemo& memo, Prices& out);

// A collective's time by what it hangs on.
[[nodiscard]] DriverTimes drivers_of(const ops::CollectiveEstimate&);

// What the config and its cluster hold communicators to, and what its textbook collectives are made of.
[[nodiscard]] ops::CommSettings comm_settings_of(const training::TrainingConfig&,
                                                 const machine::ClusterSpec&);
[[nodiscard]] ops::GenericSettings generic_settings_of(const training::Recipe&);

// One query as `config` would ask it.
[[nodiscard]] ops::CollectiveEstimate price_collective(const ops::CollectiveQuery&,
                                                       const training::TrainingConfig&, const Catalog&,
                                                       const Calibration&, PriceMemo& memo);

}  // namespace echo::simulate
