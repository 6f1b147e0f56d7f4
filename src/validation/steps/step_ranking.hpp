// How well predicted times rank layouts that were measured by the same source.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "accuracy/layout_ranking.hpp"
#include "text/json.hpp"
#include "validation/steps/predicted_step.hpp"

namespace echo::validation {

// Runs compete that have in common source, model, GPU kind, GPU count, global batch, sequence, precision and
// what is trained (all weights or adapters, packed or not).
struct StepRanking {
  // A layout that was measured several times, as by releases of a framework, stands once: at the median.
  accuracy::RankingScore all;
  std::map<std::string, accuracy::RankingScore> by_source;  // sources with a pair that is distinguished
  // Every run for itself: no prediction orders two runs of one layout, so that such pairs are all lost.
  accuracy::RankingScore with_repeats;
};

[[nodiscard]] StepRanking rank_steps(const std::vector<PredictedStep>&);

[[nodiscard]] std::string ranking_text(const StepRanking&);  // a table and an empty line; empty of no pair
void add_ranking(text::Json&, const StepRanking&);           // a member "ranking"

}  // namespace echo::validation
