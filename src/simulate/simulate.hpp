// The pure core: one config in, one report out. No files, no MPI, no clocks.
#pragma once

#include <string>
#include <vector>

#include "simulate/calibration.hpp"
#include "simulate/catalog.hpp"
#include "simulate/report.hpp"
#include "simulate/workspace.hpp"
#include "training/config.hpp"

namespace echo::simulate {

[[nodiscard]] StepReport simulate(const training::TrainingConfig&, const Catalog&, const Calibration&, Workspace&);

}  // namespace echo::simulate
