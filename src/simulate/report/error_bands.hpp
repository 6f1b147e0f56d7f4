// The error bands of a step, from the evidence for its parts.
#pragma once

#include <array>

#include "simulate/report.hpp"
#include "simulate/report/error_model.hpp"
#include "simulate/report/evidence.hpp"

namespace echo::simulate {

// By ErrorSource, relative to the step, one standard deviation each. Contract: `report` has its times,
// driver, exposed and total.
[[nodiscard]] std::array<double, error_source_count> contributions(const ErrorModel&, const Evidence&,
                                                                   const StepReport& report);

// What the host's contains for collectives that may wait for hosts of other ranks.
[[nodiscard]] double error_of_peers(const Evidence&, const StepReport& report);

// From the same evidence and under the same contract, fills error, rel_error, rel_error_p90 and out_of_range.
void report_errors(const ErrorModel&, const Evidence&, StepReport& report);

}  // namespace echo::simulate
