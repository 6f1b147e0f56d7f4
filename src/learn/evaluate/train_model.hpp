// From measured overlaps to a model that a file can hold, with what it is worth on rows it has not seen.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "learn/evaluate/nested.hpp"
#include "slowdown/learned.hpp"

namespace echo::learn {

struct TrainRequest {
  std::string candidate;  // by name; empty: folds choose
  FoldSettings folds;
  std::string dataset;  // its digest
};

struct Training {
  slowdown::LearnedModel model;
  std::string setting;       // of the candidate, in words
  std::vector<double> gain;  // [features] of its trees; empty: none
  NestedReport report;       // of the kernels' slowdown
  // Of the collectives', where enough rows have it (feature set `simulator`). They are learned by the same
  // candidate; the model has them if that beats what it says of collectives without.
  std::optional<NestedReport> collective;
};

inline constexpr std::int64_t least_collective_rows = 30;

// Of candidates_of() or part of it. All rows train the model, with the settings that folds of all rows
// choose; the evidence is the nested report: of the named candidate, or of the choice. UserError, 2: no such
// candidate, or one that no file holds; no candidate is better than no slowdown on held-out rows (and none
// was named); otherwise as evaluate_nested().
[[nodiscard]] Training train_model(const std::vector<Candidate>&, const Examples&, const TrainRequest&);

[[nodiscard]] std::string folds_in_words(Grouping);  // "by row"

}  // namespace echo::learn
