// Compares a table of measured training steps with the simulator's predictions.
#pragma once

#include <string>

#include "config/measured/measured_steps.hpp"
#include "simulate/calibration.hpp"
#include "validation/validated_table.hpp"

namespace echo::validation {

// Collective.
[[nodiscard]] ValidatedTable validate_steps(const config::MeasuredSteps&, const std::string& file,
                                            const simulate::Calibration&, const ValidateOptions&);

// The values of ValidateOptions::by.
[[nodiscard]] std::vector<std::string> step_grouping_names();

}  // namespace echo::validation
