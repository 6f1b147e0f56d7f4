#include "learn/fit/fit_rate.hpp"

#include <algorithm>
#include <cmath>

#include "base/contract.hpp"
#include "learn/fit/fit_families.hpp"
#include "learn/fit/fit_trees.hpp"

namespace echo::learn {

namespace {

constexpr double least_weight = 1e-3;

// Squared errors of rates, each weighted by its share in the overlapped time: kept * overlap ratio.
Samples samples_of(const Examples& examples, Rows rows, const std::vector<double>& base) {
  Samples samples;
  for (const std::string_view name : slowdown::feature_names(examples.features))
    samples.features.emplace_back(name);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Example& example = examples.rows[rows[i]];
    if (!is_measured(example.row, examples.side)) continue;
    const Outcome outcome = outcome_of(example.row, examples.side, 0.0);
    if (!(outcome.overlap_ratio > 0.0)) continue;
    const std::vector<double> features = features_of(example, examples.features);
    samples.values.insert(samples.values.end(), features.begin(), features.end());
    samples.target.push_back(kept_of(outcome));
    samples.weight.push_back(std::max(least_weight, outcome.overlap_ratio * samples.target.back()));
    if (!base.empty()) samples.base.push_back(base[i]);
  }
  return samples;
}

std::vector<slowdown::Range> ranges_of(const Samples& samples) {
  std::vector<slowdown::Range> ranges(samples.features.size());
  for (std::size_t i = 0; i < samples.values.size(); ++i) {
    slowdown::Range& range = ranges[i % ranges.size()];
    const double value = samples.values[i];
    if (std::isnan(value)) continue;
    const bool is_first = range.low > range.high;
    range = {is_first ? value : std::min(range.low, value), is_first ? value : std::max(range.high, value)};
  }
  return ranges;
}

}  // namespace

double kept_of(const Outcome& outcome) {
  const double longer = 1.0 + measured_slowdown(outcome);
  return longer > 0.0 ? std::clamp(1.0 / longer, least_kept, most_kept) : most_kept;
}

std::vector<double> features_of(const Example& example, slowdown::FeatureSet set) {
  if (set == slowdown::FeatureSet::metrics) return slowdown::metric_features(example.row);
  std::vector<double> features(slowdown::simulator_feature_count);
  slowdown::simulator_features(example.pair.kernel, example.pair.collective, example.pair.machine, features);
  return features;
}

slowdown::Regressor drawn_to_base(slowdown::Regressor function, double trust) {
  if (auto* forest = std::get_if<slowdown::Forest>(&function)) {
    for (slowdown::ForestNode& node : forest->nodes)
      if (node.feature < 0) node.threshold = static_cast<float>(trust * node.threshold);
    forest->base = static_cast<float>(1.0 + trust * (forest->base - 1.0));
    return function;
  }
  slowdown::MlpLayer& last = std::get<slowdown::Mlp>(function).layers.back();
  for (double& weight : last.weights) weight *= trust;
  for (double& bias : last.bias) bias = 1.0 + trust * (bias - 1.0);
  return function;
}

std::vector<FittedRate> fit_rates(const Examples& examples, Rows rows, const std::vector<double>& base,
                                  const Settings& settings, const std::vector<double>& trusts,
                                  std::uint64_t seed) {
  ECHO_EXPECT(base.empty() || base.size() == rows.size());
  const Samples samples = samples_of(examples, rows, base);
  ECHO_EXPECT(!samples.target.empty());
  const auto signs = slowdown::monotone_signs(examples.features);
  const std::vector<std::int32_t> monotone(signs.begin(), signs.end());
  FittedRate fitted{.ranges = ranges_of(samples)};
  const auto [low, high] = std::minmax_element(samples.target.begin(), samples.target.end());
  fitted.rate.seen = {*low, *high};
  slowdown::Regressor function;
  if (const auto* trees = std::get_if<TreeSettings>(&settings)) {
    ReadForest read = fit_trees(samples, *trees, monotone, seed);
    function = std::move(read.forest);
    fitted.gain = std::move(read.gain);
  } else {
    function = fit(samples, settings, monotone, seed);
  }
  std::vector<FittedRate> all;
  for (const double trust : trusts) {
    fitted.rate.residual = drawn_to_base(function, trust);
    all.push_back(fitted);
  }
  return all;
}

}  // namespace echo::learn
