// Nested cross-validation: errors of candidates on rows used neither for training nor for choosing settings.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "learn/evaluate/choose.hpp"
#include "learn/evaluate/error_measures.hpp"

namespace echo::learn {

struct CandidateReport {
  std::string name, what;
  Role role = Role::learned;
  std::vector<Outcome> outcomes;  // [rows] each predicted by a model that was not trained on it
  std::vector<std::string>
      chosen;  // [outer folds] settings as text; for NestedReport::chosen also the candidate
  ErrorMeasures all, overlapping;
};

// Advantage of a candidate over a baseline, on the same rows.
struct Margin {
  std::string baseline;
  double advantage = 0.0, doubt = 0.0;  // of the mean error; its standard error, between groups
};

struct NestedReport {
  std::vector<std::int32_t> fold, group;  // [rows] fold that held it out; group with correlated errors
  // As candidates_of(), each with the settings chosen by its inner folds.
  std::vector<CandidateReport> candidates;
  CandidateReport chosen;        // the whole procedure: inner folds also choose the candidate
  bool beats_baselines = false;  // all its margins are beyond doubt
};

// [baselines] for one of the report's candidates, or for its choice.
[[nodiscard]] std::vector<Margin> margins_of(const NestedReport&, const CandidateReport&);

// UserError, 2: fewer than 3 groups, or too few rows overlap.
[[nodiscard]] NestedReport evaluate_nested(const std::vector<Candidate>&, const Examples&,
                                           const FoldSettings&);

}  // namespace echo::learn
