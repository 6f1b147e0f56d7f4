// The pure core: one config in, one report out. No files, no MPI, no clocks.
#pragma once

#include <string_view>

#include "simulate/calibration.hpp"
#include "simulate/catalog.hpp"
#include "simulate/report.hpp"
#include "simulate/workspace.hpp"
#include "training/config.hpp"

namespace echo::simulate {

[[nodiscard]] StepReport simulate(const training::TrainingConfig&, const Catalog&, const Calibration&,
                                  Workspace&);

// The rule an `unsupported` config breaks, in a user's words; empty where it breaks none.
[[nodiscard]] std::string_view why_unsupported(const training::TrainingConfig&, const Catalog&);

}  // namespace echo::simulate
