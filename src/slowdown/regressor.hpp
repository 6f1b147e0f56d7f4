// Learned functions of a few features: boosted trees and a small network. Prediction only; src/learn trains
// them.
#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

namespace echo::slowdown {

// Limits of a sound regressor: buffers of a prediction have these sizes, and sums cannot overflow.
inline constexpr std::int32_t max_width = 256;  // features, and outputs of a layer
inline constexpr std::size_t max_layers = 8;
inline constexpr double max_weight = 1e9;

// Boosted trees, flat. Leaves are summed; trees are evaluated in single precision, as in xgboost.
struct ForestNode {
  float threshold = 0.0F;            // inner: left if value < threshold; leaf: its value
  std::int32_t feature = -1;         // -1 = leaf
  std::int32_t left = 0, right = 0;  // indices of nodes of the same forest
  bool missing_left = true;          // where a NaN goes
  friend bool operator==(const ForestNode&, const ForestNode&) = default;
};
struct Forest {
  std::vector<ForestNode> nodes;
  std::vector<std::int32_t> roots;  // [trees]
  float base = 0.0F;
  friend bool operator==(const Forest&, const Forest&) = default;
};

// Dense layers with ReLU between them, on standardised inputs; a NaN counts as the mean.
struct MlpLayer {
  std::int32_t inputs = 0, outputs = 0;
  std::vector<double> weights;  // [outputs][inputs]
  std::vector<double> bias;     // [outputs]
  friend bool operator==(const MlpLayer&, const MlpLayer&) = default;
};
struct Mlp {
  std::vector<double> mean, scale;  // [features]
  std::vector<MlpLayer> layers;     // the last has one output
  friend bool operator==(const Mlp&, const Mlp&) = default;
};

using Regressor = std::variant<Forest, Mlp>;

// Contract: as many features as in training; it is well formed (see is_sound).
[[nodiscard]] double evaluate(const Regressor&, std::span<const double> features);
// Whether every index is in range, every walk ends and every number is finite; checked for files.
[[nodiscard]] bool is_sound(const Regressor&, std::int32_t features);

}  // namespace echo::slowdown
