// The measured steps that are predicted worst: where their predicted time goes, and a guess at the cause.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "text/json.hpp"
#include "validation/steps/predicted_step.hpp"

namespace echo::validation {

struct WorstStep {
  const PredictedStep* row;
  std::vector<std::pair<std::string, double>>
      parts;  // exposed, as shares of the predicted step; largest first
  std::vector<std::pair<std::string, double>> bottlenecks;  // shares of the step by bottleneck, largest first
  // In words: what residuals of the other rows of this source go with, if that tells this row from them.
  std::string guess;
};

// The `count` scored rows whose predicted time is off by the largest factor, worst first; ties in their
// order. `rows` outlives them.
[[nodiscard]] std::vector<WorstStep> worst_steps(const std::vector<PredictedStep>& rows, std::size_t count);

[[nodiscard]] std::string worst_text(const std::vector<WorstStep>&);  // one paragraph per row; empty if none
void add_worst(text::Json&, const std::vector<WorstStep>&);           // a member "worst"

}  // namespace echo::validation
