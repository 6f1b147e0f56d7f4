// The loop of one worker: claim ids, simulate each, hand rows on.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "simulate/calibration.hpp"
#include "simulate/catalog.hpp"
#include "sweep/design_space.hpp"
#include "sweep/row.hpp"

namespace echo::sweep {

struct SweepSummary {
  std::array<std::int64_t, 5> by_status{};  // [training::Status]
  std::vector<Failure> failures;            // the first hundred
};

// Until `source` has no more ids. Whatever simulate() throws becomes a failed row; nothing else is caught.
SweepSummary run_sweep(const DesignSpace&, const simulate::Catalog&, const simulate::Calibration&,
                       WorkSource& source, RowSink& sink);

}  // namespace echo::sweep
