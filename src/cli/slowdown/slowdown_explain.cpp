#include "cli/slowdown/slowdown_explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/at.hpp"
#include "base/error.hpp"
#include "learn/evaluate/train_model.hpp"
#include "text/json.hpp"
#include "text/text_table.hpp"

namespace echo::cli {

namespace {

constexpr double visible = 5e-5;  // growth of the mean error that the table shows as 0.0 %

std::vector<std::int32_t> overlapping_rows(const learn::Examples& examples) {
  std::vector<std::int32_t> rows;
  for (std::int32_t i = 0; i < std::ssize(examples.rows); ++i)
    if (examples.rows[i].row.overlap_ratio > 0.0) rows.push_back(i);
  return rows;
}

std::vector<FeatureGain> gain_of(const std::vector<double>& gain, slowdown::FeatureSet features) {
  const double sum = std::accumulate(gain.begin(), gain.end(), 0.0);
  std::vector<FeatureGain> shares;
  for (std::size_t i = 0; i < gain.size(); ++i)
    if (gain[i] > 0.0) shares.push_back({std::string(slowdown::feature_names(features)[i]), gain[i] / sum});
  std::stable_sort(shares.begin(), shares.end(),
                   [](const FeatureGain& a, const FeatureGain& b) { return a.share > b.share; });
  return shares;
}

double swing_of(const learn::DependenceCurve& curve) {
  const auto [low, high] = std::minmax_element(curve.slowdown.begin(), curve.slowdown.end());
  return *high - *low;
}

std::string at_text(double value) { return fmt::format("{:.3g}", value); }

// The slowdown at the smallest, the middle and the largest value.
std::vector<std::string> cells_of(const learn::DependenceCurve& curve) {
  const std::size_t middle = curve.at.size() / 2;
  const auto point = [&](std::size_t i) {
    return fmt::format("{:.3f} at {}", curve.slowdown[i], at_text(curve.at[i]));
  };
  return {curve.input + (curve.units.empty() ? "" : " [" + curve.units + "]"), point(0), point(middle),
          point(curve.at.size() - 1)};
}

}  // namespace

SlowdownExplanation explain_data(const SlowdownData& data, const std::string& candidate,
                                 const learn::FoldSettings& folds) {
  const learn::Examples& examples = data.examples;
  const auto candidates = learn::candidates_of(examples);
  const learn::Choice choice = learn::choose_for_all(candidates, examples, candidate, folds);
  const learn::Candidate& chosen = candidates[at(choice.candidate)];
  std::vector<std::int32_t> rows(examples.rows.size());
  std::iota(rows.begin(), rows.end(), 0);
  const auto fitted = chosen.fit(examples, rows, folds.seed);
  const learn::Fitted& model = fitted[at(choice.setting)];
  return {.model = chosen.name,
          .setting = chosen.settings[at(choice.setting)],
          .data = data.file,
          .judged_on = "rows held out " + learn::folds_in_words(folds.grouping),
          .importance = learn::importance_of(chosen, choice.setting, examples, folds),
          .gain = gain_of(model.gain, examples.features),
          .curves = learn::partial_dependence(model, examples, overlapping_rows(examples))};
}

SlowdownExplanation explain_model(const slowdown::LearnedModel& model, const SlowdownData& data,
                                  std::uint64_t seed) {
  const learn::Fitted fitted = learn::fitted_of(model, data.examples.side);
  const auto rows = overlapping_rows(data.examples);
  const bool is_known = data.digest == model.evidence.dataset;
  return {.model = model.name,
          .data = data.file,
          .judged_on = is_known ? "the rows it was trained on: memorised features look important"
                                : "rows of a dataset it was not trained on",
          .importance = learn::importance_of(fitted, data.examples, rows, seed),
          .curves = learn::partial_dependence(fitted, data.examples, rows)};
}

std::string slowdown_explanation_text(const SlowdownExplanation& explanation) {
  std::string text =
      fmt::format("{}{} on {}\n\n", explanation.model,
                  explanation.setting.empty() ? "" : " (" + explanation.setting + ")", explanation.data);
  text::TextTable importance({"<permutation importance", "error grows by", "+-"});
  for (const learn::Importance& one : explanation.importance)
    if (std::abs(one.growth) >= visible)
      importance.add(
          {one.input, fmt::format("{:.2f} %", 100 * one.growth), fmt::format("{:.2f}", 100 * one.spread)});
  text += importance.text() + "  on " + explanation.judged_on + "\n";
  if (!explanation.gain.empty()) {
    text::TextTable gain({"<gain of the trees", "share"});
    for (const FeatureGain& one : explanation.gain)
      gain.add({one.feature, fmt::format("{:.1f} %", 100 * one.share)});
    text += "\n" + gain.text();
  }
  text::TextTable curves({"<partial dependence", "slowdown at minimum", "middle", "maximum"});
  for (const learn::DependenceCurve& curve : explanation.curves)
    if (swing_of(curve) > 0.0) curves.add(cells_of(curve));
  return text + "\n" + curves.text() +
         "  mean slowdown of the overlapping rows if all of them had that value\n";
}

std::string slowdown_explanation_json(const SlowdownExplanation& explanation) {
  text::Json json;
  json.open_object().member("model", explanation.model).member("setting", explanation.setting);
  json.member("data", explanation.data).member("judged_on", explanation.judged_on);
  json.key("importance").open_array();
  for (const learn::Importance& one : explanation.importance)
    json.open_object()
        .member("input", one.input)
        .member("growth", one.growth)
        .member("spread", one.spread)
        .close();
  json.close().key("gain").open_array();
  for (const FeatureGain& one : explanation.gain)
    json.open_object().member("feature", one.feature).member("share", one.share).close();
  json.close().key("partial_dependence").open_array();
  for (const learn::DependenceCurve& curve : explanation.curves) {
    json.open_object().member("input", curve.input).member("units", curve.units).key("at").open_array();
    for (const double at : curve.at) json.value(at);
    json.close().key("slowdown").open_array();
    for (const double slowdown : curve.slowdown) json.value(slowdown);
    json.close().close();
  }
  json.close().close();
  return json.text();
}

}  // namespace echo::cli
