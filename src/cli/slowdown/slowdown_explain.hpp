// What a slowdown model's predictions hang on, for people and plots.
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
  double share = 0.0;  // of the loss that all splits took off
};

struct SlowdownExplanation {
  std::string model, setting, data;  // setting: in words; empty where it is not known
  std::string judged_on;             // "rows held out by row, 5 folds", "rows it was trained on"
  std::vector<learn::Importance> importance;
  std::vector<FeatureGain> gain;  // of trees trained here, the largest first
  std::vector<learn::DependenceCurve> curves;
};

// Of the candidate, with the settings that folds choose; empty: the candidate that they choose too.
// Importance is of held-out rows, gain and curves are of the model fitted to all rows. UserError, 2: no such
// candidate; the folds choose no slowdown.
[[nodiscard]] SlowdownExplanation explain_data(const SlowdownData&, const std::string& candidate,
                                               const learn::FoldSettings&);
// Of a trained model on these rows. Precondition: of one feature set.
[[nodiscard]] SlowdownExplanation explain_model(const slowdown::LearnedModel&, const SlowdownData&,
                                                std::uint64_t seed);

[[nodiscard]] std::string slowdown_explanation_text(const SlowdownExplanation&);
[[nodiscard]] std::string slowdown_explanation_json(const SlowdownExplanation&);

}  // namespace echo::cli
