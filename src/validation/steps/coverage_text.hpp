// The share of measured steps within the error bands of the predictions, by source.
#pragma once

#include <string>
#include <vector>

#include "text/json.hpp"
#include "validation/steps/predicted_step.hpp"

namespace echo::validation {

[[nodiscard]] std::string coverage_text(
    const std::vector<PredictedStep>&);                             // and an empty line; empty of no row
void add_coverage(text::Json&, const std::vector<PredictedStep>&);  // a member "coverage"

}  // namespace echo::validation
