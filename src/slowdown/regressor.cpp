// Trees are evaluated as xgboost evaluates them (src/tree and src/predictor of dmlc/xgboost 1.7): features
// as single-precision numbers, left where value < threshold, a NaN in the direction that the node states,
// leaves added in the order of the trees in single precision, starting with the base. So predictions equal
// the library's bit for bit, which a test verifies.
#include "slowdown/regressor.hpp"

#include <array>
#include <cmath>

#include "base/at.hpp"
#include "base/contract.hpp"

namespace echo::slowdown {

namespace {

double evaluate(const Forest& forest, std::span<const double> features) {
  float sum = forest.base;
  for (const std::int32_t root : forest.roots) {
    const ForestNode* node = &forest.nodes[at(root)];
    while (node->feature >= 0) {
      const auto value = static_cast<float>(features[at(node->feature)]);
      const bool goes_left = std::isnan(value) ? node->missing_left : value < node->threshold;
      node = &forest.nodes[at(goes_left ? node->left : node->right)];
    }
    sum += node->threshold;
  }
  return sum;
}

double evaluate(const Mlp& mlp, std::span<const double> features) {
  std::array<double, max_width> values{};
  for (std::size_t i = 0; i < features.size(); ++i)
    values[i] = std::isnan(features[i]) ? 0.0 : (features[i] - mlp.mean[i]) / mlp.scale[i];
  for (const MlpLayer& layer : mlp.layers) {
    const std::size_t inputs = at(layer.inputs);
    const bool last = &layer == &mlp.layers.back();
    std::array<double, max_width> next{};
    for (std::size_t j = 0; j < layer.bias.size(); ++j) {
      double sum = layer.bias[j];
      for (std::size_t i = 0; i < inputs; ++i) sum += layer.weights[j * inputs + i] * values[i];
      next[j] = last || sum > 0.0 ? sum : 0.0;
    }
    values = next;
  }
  return values[0];
}

// Children stand behind their parent, so a walk ends.
bool is_sound(const Forest& forest, std::int32_t features) {
  const auto size = static_cast<std::int64_t>(forest.nodes.size());
  for (std::int64_t i = 0; i < size; ++i) {
    const ForestNode& node = forest.nodes[at(i)];
    if (!std::isfinite(node.threshold) || node.feature < -1 || node.feature >= features) return false;
    if (node.feature < 0) continue;
    if (node.left <= i || node.left >= size || node.right <= i || node.right >= size) return false;
  }
  for (const std::int32_t root : forest.roots)
    if (root < 0 || root >= size) return false;
  return std::isfinite(forest.base);
}

bool are_within(const std::vector<double>& numbers, double limit) {
  for (const double number : numbers)
    if (!(std::abs(number) <= limit)) return false;
  return true;
}

bool is_sound(const MlpLayer& layer) {
  if (layer.inputs < 1 || layer.outputs < 1) return false;
  if (layer.inputs > max_width || layer.outputs > max_width) return false;
  const std::size_t outputs = at(layer.outputs);
  return layer.bias.size() == outputs &&
         layer.weights.size() == outputs * static_cast<std::size_t>(layer.inputs) &&
         are_within(layer.weights, max_weight) && are_within(layer.bias, max_weight);
}

bool is_sound(const Mlp& mlp, std::int32_t features) {
  if (mlp.layers.empty() || mlp.layers.size() > max_layers || mlp.layers.back().outputs != 1) return false;
  const std::size_t count = at(features);
  if (mlp.mean.size() != count || mlp.scale.size() != count) return false;
  if (!are_within(mlp.mean, max_weight) || !are_within(mlp.scale, max_weight)) return false;
  for (const double scale : mlp.scale)
    if (scale < 1.0 / max_weight) return false;
  std::int32_t inputs = features;
  for (const MlpLayer& layer : mlp.layers) {
    if (!is_sound(layer) || layer.inputs != inputs) return false;
    inputs = layer.outputs;
  }
  return true;
}

}  // namespace

double evaluate(const Regressor& regressor, std::span<const double> features) {
  ECHO_EXPECT(features.size() <= static_cast<std::size_t>(max_width));
  return std::visit([&](const auto& kind) { return evaluate(kind, features); }, regressor);
}

bool is_sound(const Regressor& regressor, std::int32_t features) {
  if (features < 1 || features > max_width) return false;
  return std::visit([&](const auto& kind) { return is_sound(kind, features); }, regressor);
}

}  // namespace echo::slowdown
