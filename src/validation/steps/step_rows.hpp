// Measured training steps with their predictions as CSV, one line each.
#pragma once

#include <string>

#include "validation/steps/predicted_step.hpp"

namespace echo::validation {

[[nodiscard]] std::string step_csv_header();
// Seconds; GiB; shares of the predicted step: `exposed_<part>`, `driver_<driver>`. Cells without a figure are
// blank. `rel_error_p90`: of the natural logarithm. `features` are parted by '+'.
void add_step_csv(const PredictedStep&, std::string& out);

}  // namespace echo::validation
