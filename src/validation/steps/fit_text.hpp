// What the chance to fit says of runs that ran and of runs that went out of memory.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "text/json.hpp"
#include "validation/steps/predicted_step.hpp"

namespace echo::validation {

// Runs by their chance: below simulate::least_fit_chance, from simulate::ranked_fit_chance on, between.
struct FitCounts {
  int unfit = 0, doubtful = 0, fit = 0;
  [[nodiscard]] int runs() const { return unfit + doubtful + fit; }
};

struct FitScores {
  std::map<std::string, FitCounts> ran, out_of_memory;  // by source
  [[nodiscard]] static FitCounts all(const std::map<std::string, FitCounts>&);
};

[[nodiscard]] FitScores fit_scores(const std::vector<PredictedStep>&);
[[nodiscard]] std::string fit_text(const FitScores&);  // and an empty line; empty of no row
void add_fit(text::Json&, const FitScores&);           // a member "fit"

}  // namespace echo::validation
