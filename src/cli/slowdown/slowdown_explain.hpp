// Features that the predictions of a slowdown model depend on, as text and JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/slowdown/slowdown_data.hpp"
#include "learn/evaluate/choose.hpp"
#include "learn/evaluate/importance.hpp"
#include "learn/evaluate/partial_dependence.hpp"

namespace echo::cli {

struct FeatureGain {
  std::string feature;
  double share = 0.0;  // share of the loss removed by all splits
};

struct SlowdownExplanation {
  std::string model, setting, data;  // setting: as text; empty if unknown
  std::string judged_on;             // "rows held out by row, 5 folds", "rows it was trained on"
  std::vector<learn::Importance> importance;
  std::vector<FeatureGain> gain;  // for trees trained here, largest first
  std::vector<learn::DependenceCurve> curves;
};

// Explains the candidate with the settings chosen by the folds; empty: the candidate is also chosen by the
// folds. Importance is computed on held-out rows, gain and curves on the model fitted to all rows. UserError
// 2: no such candidate, or the folds choose no slowdown.
[[nodiscard]] SlowdownExplanation explain_data(const SlowdownData&, const std::string& candidate,
                                               const learn::FoldSettings&);
// Explains a trained model on these rows. Precondition: both have the same feature set.
[[nodiscard]] SlowdownExplanation explain_model(const slowdown::LearnedModel&, const SlowdownData&,
                                                std::uint64_t seed);

[[nodiscard]] std::string slowdown_explanation_text(const SlowdownExplanation&);
[[nodiscard]] std::string slowdown_explanation_json(const SlowdownExplanation&);

}  // namespace echo::cli
