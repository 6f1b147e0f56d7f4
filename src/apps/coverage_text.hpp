// Whether the error bands of predicted steps hold the measured ones, by source.
#pragma once

#include <string>
#include <vector>

#include "apps/json.hpp"
#include "apps/predicted_step.hpp"

namespace echo::apps {

[[nodiscard]] std::string coverage_text(
    const std::vector<PredictedStep>&);                       // and an empty line; empty of no row
void add_coverage(Json&, const std::vector<PredictedStep>&);  // a member "coverage"

}  // namespace echo::apps
