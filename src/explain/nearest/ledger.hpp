// The ledger of a file: for each cause of infeasible rows, the nearest feasible change of the row that is
// most promising.
#pragma once

#include <vector>

#include "results/nearest_group.hpp"
#include "simulate/calibration.hpp"
#include "simulate/catalog.hpp"
#include "sweep/spec.hpp"

namespace echo::explain {

// One entry for each of the most frequent causes; deterministic. A row that cannot be simulated again has no
// entry.
[[nodiscard]] std::vector<results::NearestEntry> nearest_ledger(const results::ResultFile&,
                                                                const sweep::SweepSpec&,
                                                                const simulate::Catalog&,
                                                                const simulate::Calibration&);

}  // namespace echo::explain
