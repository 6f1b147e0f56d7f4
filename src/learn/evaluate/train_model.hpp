// Trains a model for a file from measured overlaps, and reports its error on held-out rows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "learn/evaluate/nested.hpp"
#include "slowdown/learned.hpp"

namespace echo::learn {

struct TrainRequest {
  std::string candidate;  // by name; empty: chosen by cross-validation
  FoldSettings folds;
  std::string dataset;               // its digest
  std::vector<std::string> assumed;  // for slowdown::Evidence
};

struct Training {
  slowdown::LearnedModel model;
  std::string setting;       // of the candidate, as text
  std::vector<double> gain;  // [features] of its trees; empty: none
  NestedReport report;       // of the kernels' slowdown
  // The collectives' slowdown, if enough rows have it (feature set `simulator`). It is learned by the same
  // candidate; the model includes it if that is better than its prediction without.
  std::optional<NestedReport> collective;
};

inline constexpr std::int64_t least_collective_rows = 30;

// Candidates: candidates_of() or part of it. The model is trained on all rows, with the settings chosen by
// cross-validation over all rows; the evidence is the nested report of the named candidate, or of the choice.
// UserError, 2: no such candidate, or one that cannot be saved; no candidate is better than no slowdown on
// held-out rows (and none was named); otherwise as evaluate_nested().
[[nodiscard]] Training train_model(const std::vector<Candidate>&, const Examples&, const TrainRequest&);

[[nodiscard]] std::string folds_in_words(Grouping);  // "by row"

}  // namespace echo::learn
