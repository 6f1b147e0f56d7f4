#include "learn/evaluate/error_measures.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/contract.hpp"
#include "base/quantile.hpp"
#include "slowdown/overlap_row.hpp"

namespace echo::learn {

namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

// 1 - (squared errors) / (squared distances from the mean).
double r2_of(std::span<const Outcome> outcomes, double (*measured)(const Outcome&),
             double (*predicted)(const Outcome&)) {
  double mean = 0.0;
  for (const Outcome& outcome : outcomes) mean += measured(outcome) / static_cast<double>(outcomes.size());
  double errors = 0.0, spread = 0.0;
  for (const Outcome& outcome : outcomes) {
    errors += std::pow(predicted(outcome) - measured(outcome), 2);
    spread += std::pow(measured(outcome) - mean, 2);
  }
  return spread > 0.0 ? 1.0 - errors / spread : nothing;
}

double overlapped(const Outcome& outcome) { return outcome.overlapped; }
double predicted_slowdown(const Outcome& outcome) {
  return outcome.overlap_ratio > 0.0 ? outcome.predicted_slowdown : 0.0;
}

}  // namespace

double predicted_time(const Outcome& outcome) {
  return slowdown::overlapped_time(outcome.alone, outcome.overlap_ratio, outcome.predicted_slowdown);
}

double measured_slowdown(const Outcome& outcome) {
  if (!(outcome.overlap_ratio > 0.0)) return 0.0;
  return (outcome.overlapped - outcome.alone) / (outcome.overlap_ratio * outcome.alone);
}

double relative_error(const Outcome& outcome) { return predicted_time(outcome) / outcome.overlapped - 1.0; }

ErrorMeasures measure(std::span<const Outcome> outcomes) {
  ECHO_EXPECT(!outcomes.empty());
  const auto count = static_cast<double>(outcomes.size());
  ErrorMeasures found{.rows = std::ssize(outcomes), .slowdown_mean = 0.0};
  std::vector<double> errors;
  double measured = 0.0, predicted = 0.0;
  std::array<std::int64_t, tolerances.size()> inside{};
  for (const Outcome& outcome : outcomes) {
    const double error = std::abs(relative_error(outcome));
    errors.push_back(error);
    found.mean += error / count;
    measured += outcome.overlapped;
    predicted += predicted_time(outcome);
    for (std::size_t i = 0; i < tolerances.size(); ++i) inside[i] += error <= tolerances[i] ? 1 : 0;
    const double slowdown = measured_slowdown(outcome);
    if (slowdown < visible_slowdown) continue;
    ++found.slowed;
    found.slowdown_mean += std::abs(outcome.predicted_slowdown - slowdown) / slowdown;
  }
  found.slowdown_mean = found.slowed > 0 ? found.slowdown_mean / static_cast<double>(found.slowed) : nothing;
  for (std::size_t i = 0; i < tolerances.size(); ++i)
    found.within[i] = static_cast<double>(inside[i]) / count;
  found.median = median_of(std::move(errors));
  found.total = predicted / measured - 1.0;
  found.r2 = r2_of(outcomes, overlapped, predicted_time);
  found.slowdown_r2 = r2_of(outcomes, measured_slowdown, predicted_slowdown);
  return found;
}

ErrorMeasures measure_overlapping(std::span<const Outcome> outcomes) {
  std::vector<Outcome> overlapping;
  for (const Outcome& outcome : outcomes)
    if (outcome.overlap_ratio > 0.0) overlapping.push_back(outcome);
  if (!overlapping.empty()) return measure(overlapping);
  return {.mean = nothing,
          .median = nothing,
          .total = nothing,
          .r2 = nothing,
          .within = {nothing, nothing, nothing},
          .slowdown_mean = nothing,
          .slowdown_r2 = nothing};
}

}  // namespace echo::learn
