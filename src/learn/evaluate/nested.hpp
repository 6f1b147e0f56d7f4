// How well candidates predict rows that neither they nor their settings have seen: cross-validation inside
// cross-validation.
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
  std::vector<Outcome> outcomes;    // [rows] each predicted by a model that never saw it
  std::vector<std::string> chosen;  // [outer folds] settings, in words; of NestedReport::chosen: and of which
  ErrorMeasures all, overlapping;
};

// How far one is below a baseline, on the same rows.
struct Margin {
  std::string baseline;
  double advantage = 0.0, doubt = 0.0;  // of the mean error; one standard error of it, between groups
};

struct NestedReport {
  std::vector<std::int32_t> fold, group;  // [rows] that held it out; whose errors go together
  // As candidates_of(), each with the settings its inner folds chose.
  std::vector<CandidateReport> candidates;
  CandidateReport chosen;        // the procedure as a whole: inner folds choose the candidate too
  bool beats_baselines = false;  // every margin of it is beyond doubt
};

// [baselines] of one of the report's candidates, or of its choice.
[[nodiscard]] std::vector<Margin> margins_of(const NestedReport&, const CandidateReport&);

// UserError, 2: fewer than 3 groups, or too few rows overlap.
[[nodiscard]] NestedReport evaluate_nested(const std::vector<Candidate>&, const Examples&,
                                           const FoldSettings&);

}  // namespace echo::learn
