// Shares of a step in its report, common to generated and replayed steps.
#pragma once

#include <array>
#include <span>

#include "simulate/calibration.hpp"
#include "simulate/catalog.hpp"
#include "simulate/report.hpp"
#include "simulate/report/evidence.hpp"

namespace echo::simulate {

// Contract: `report` has its step, exposed and total. graded: compute time by ops::Grade.
void report_fractions(const std::array<SimTime, 4>& graded, StepReport& report);

// As shares; what roundings leave over counts as fixed. Contract: `report` has its step.
void report_path(const PathShare&, StepReport& report);

// queries: all that are asked of the network.
[[nodiscard]] Evidence evidence_behind(const std::array<SimTime, 4>& graded,
                                       std::span<const ops::CollectiveQuery> queries,
                                       const training::TrainingConfig&, const Catalog&, const Calibration&);

}  // namespace echo::simulate
