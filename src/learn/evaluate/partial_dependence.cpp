#include "learn/evaluate/partial_dependence.hpp"

#include <algorithm>
#include <cmath>

#include "learn/evaluate/inputs.hpp"

namespace echo::learn {

namespace {

// At most curve_points values, including the least and the greatest.
std::vector<double> quantiles_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  if (values.size() <= static_cast<std::size_t>(curve_points)) return values;
  std::vector<double> chosen;
  for (std::size_t i = 0; i < curve_points; ++i)
    chosen.push_back(values[i * (values.size() - 1) / (curve_points - 1)]);
  return chosen;
}

}  // namespace

std::vector<DependenceCurve> partial_dependence(const Fitted& fitted, const Examples& examples, Rows rows) {
  std::vector<DependenceCurve> curves;
  for (const Input& input : inputs_of(examples.features)) {
    if (input.value == nullptr) continue;
    std::vector<double> values;
    for (const std::int32_t row : rows)
      if (const double value = input.value(examples.rows[row]); !std::isnan(value)) values.push_back(value);
    DependenceCurve curve{.input = std::string(input.name), .units = std::string(input.units)};
    curve.at = quantiles_of(std::move(values));
    if (curve.at.size() < 2) continue;
    for (const double at : curve.at) {
      double sum = 0.0;
      for (const std::int32_t row : rows) {
        Example other = examples.rows[row];
        input.set(other, at);
        sum += fitted.slowdown(other);
      }
      curve.slowdown.push_back(sum / static_cast<double>(rows.size()));
    }
    curves.push_back(std::move(curve));
  }
  return curves;
}

}  // namespace echo::learn
