// Settings are few and coarse, fixed before any row was held out: settings of little value lose on the inner
// folds, and are not tuned. `trust` shrinks a learned part towards its foundation (or no slowdown) where
// rows are too few or too different; it limits the errors of trees on kernels they have never seen.
#include "learn/candidates/learned_candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "learn/candidates/fitted.hpp"
#include "learn/candidates/white_box.hpp"
#include "learn/evaluate/folds.hpp"
#include "learn/fit/fit_families.hpp"
#include "learn/fit/fit_rate.hpp"
#include "slowdown/rate_kept.hpp"

namespace echo::learn {

namespace {

using slowdown::Base;
using slowdown::FeatureSet;
using slowdown::LearnedModel;

struct Variant {
  std::string words;
  Settings settings;
};
const std::vector<double> trusts{0.3, 1.0};
constexpr FamilySettings middle_families{.sizes_per_octave = 2, .prior = 0.5};
constexpr std::int32_t family_folds = 5;
// A residual that may only fall with demands makes a white box steeper, never flatter: a prediction that is
// too low can be corrected, so one that is too high is the worse error of its constants.
constexpr double harshness = 3.0;

std::vector<Variant> variants_of(Function function) {
  if (function == Function::network)
    return {{"8 hidden", MlpSettings{.hidden = {8}}}, {"16 + 16 hidden", MlpSettings{.hidden = {16, 16}}}};
  return {
      {"40 trees of depth 2", TreeSettings{.rounds = 40, .depth = 2, .min_child_weight = 5.0}},
      {"60 trees of depth 3", TreeSettings{.rounds = 60, .depth = 3}},
      {"150 trees of depth 4",
       TreeSettings{.rounds = 150, .depth = 4, .learning_rate = 0.05, .subsample = 0.8, .colsample = 0.8}}};
}

RowPointers pointers_to(const Examples& examples, Rows rows) {
  RowPointers pointers;
  for (const std::int32_t i : rows) pointers.push_back(&examples.rows[i].row);
  return pointers;
}

// --- foundations
Base base_of(Foundation foundation) {
  switch (foundation) {
    case Foundation::families:
      return Base::families;
    case Foundation::white_box:
      return Base::contention;
    case Foundation::nothing:
    case Foundation::white_box_of_metrics:
      break;
  }
  return Base::none;
}

double kept_by_metrics(const Example& example) {
  return kept_beside(pair_of_metrics(example, pcie_pair), {}, Side::kernel);
}

// [rows] predictions of the foundation for rows to which it was not fitted.
std::vector<double> kept_before(Foundation foundation, const Examples& examples, Rows rows,
                                const slowdown::Contention& constants, std::uint64_t seed) {
  std::vector<double> kept;
  switch (foundation) {
    case Foundation::nothing:
      break;
    case Foundation::families: {
      std::vector<std::int32_t> single(rows.size()), fold(rows.size(), 0);
      for (std::size_t i = 0; i < rows.size(); ++i) single[i] = static_cast<std::int32_t>(i);
      const auto folds = std::min(family_folds, static_cast<std::int32_t>(rows.size()));
      if (folds >= 2) fold = fold_of(single, folds, seed);
      return kept_out_of_fold(pointers_to(examples, rows), fold, middle_families);
    }
    case Foundation::white_box:
      for (const std::int32_t i : rows)
        kept.push_back(kept_beside(examples.rows[i].pair, constants, examples.side));
      break;
    case Foundation::white_box_of_metrics:
      for (const std::int32_t i : rows) kept.push_back(kept_by_metrics(examples.rows[i]));
      break;
  }
  return kept;
}

// --- functions
Fitted on_metrics_white_box(FittedRate fitted) {
  std::vector<double> gain = fitted.gain;
  return {.slowdown =
              [fitted = std::move(fitted)](const Example& example) {
                std::vector<double> features = features_of(example, FeatureSet::metrics);
                for (std::size_t i = 0; i < features.size(); ++i)
                  features[i] = slowdown::held(features[i], fitted.ranges[i]);
                const double residual = slowdown::evaluate(fitted.rate.residual, features);
                return 1.0 / slowdown::kept_of(kept_by_metrics(example), residual, fitted.rate.seen) - 1.0;
              },
          .gain = std::move(gain)};
}

std::vector<Fitted> fit_functions(Function function, Foundation foundation, const Examples& examples,
                                  Rows rows, std::uint64_t seed) {
  LearnedModel plain{.features = examples.features, .base = base_of(foundation)};
  if (foundation == Foundation::families)
    plain.families = fit_families(pointers_to(examples, rows), middle_families);
  if (foundation == Foundation::white_box) plain.contention = fitted_constants(examples, rows, harshness);
  const std::vector<double> kept = kept_before(foundation, examples, rows, plain.contention, seed);
  std::vector<Fitted> all;
  for (const Variant& variant : variants_of(function))
    for (FittedRate& fitted : fit_rates(examples, rows, kept, variant.settings, trusts, seed)) {
      if (foundation == Foundation::white_box_of_metrics) {
        all.push_back(on_metrics_white_box(std::move(fitted)));
        continue;
      }
      LearnedModel model = plain;
      model.ranges = std::move(fitted.ranges);
      if (examples.side == Side::kernel)
        model.kernel = std::move(fitted.rate);
      else
        model.collective = std::move(fitted.rate);
      all.push_back(fitted_of(std::move(model), examples.side, std::move(fitted.gain)));
    }
  return all;
}

std::vector<FamilySettings> family_settings() {
  std::vector<FamilySettings> all;
  for (const std::int32_t sizes : {1, 2, 4})
    for (const double prior : {0.5, 1.0}) all.push_back({sizes, prior});
  return all;
}

}  // namespace

Candidate families() {
  Candidate candidate{.name = "families", .what = "rates kept by kernel name, full name and size"};
  for (const FamilySettings& settings : family_settings())
    candidate.settings.push_back(
        fmt::format("{} sizes per octave, prior {}", settings.sizes_per_octave, settings.prior));
  candidate.fit = [](const Examples& examples, Rows rows, std::uint64_t) {
    std::vector<Fitted> all;
    for (const FamilySettings& settings : family_settings()) {
      LearnedModel model{.features = examples.features, .base = Base::families};
      model.families = fit_families(pointers_to(examples, rows), settings);
      model.ranges.resize(slowdown::metric_feature_count);
      all.push_back(fitted_of(std::move(model), examples.side));
    }
    return all;
  };
  return candidate;
}

Candidate learned(Function function, Foundation foundation) {
  const std::string name = function == Function::trees ? "trees" : "mlp";
  const std::string long_name = function == Function::trees ? "boosted trees" : "neural network";
  Candidate candidate{.name = name, .what = long_name + " on the features"};
  if (foundation == Foundation::families) {
    candidate.name += "_on_families";
    candidate.what = long_name + " on the residual of the families";
  } else if (foundation != Foundation::nothing) {
    candidate.name += "_on_white_box";
    candidate.what = long_name + " on the residual of the white box";
  }
  if (foundation == Foundation::white_box_of_metrics) candidate.role = Role::shown;
  for (const Variant& variant : variants_of(function))
    for (const double trust : trusts)
      candidate.settings.push_back(fmt::format("{}, trust {}", variant.words, trust));
  candidate.fit = [function, foundation](const Examples& examples, Rows rows, std::uint64_t seed) {
    return fit_functions(function, foundation, examples, rows, seed);
  };
  return candidate;
}

}  // namespace echo::learn
