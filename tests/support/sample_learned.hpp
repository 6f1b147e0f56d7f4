// Seeded learned models and pairs, of any shape that is sound.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/counter_rng.hpp"
#include "slowdown/learned.hpp"

namespace echo::testing {

inline constexpr slowdown::Machine a100_machine{.sm_count = 108, .memory_bandwidth = 2.039e12};

// Draws one after the other.
class Draws {
 public:
  explicit Draws(std::uint64_t key) : key_(key) {}
  double unit() { return draw_unit(77, key_, number_++); }
  double between(double low, double high) { return low + (high - low) * unit(); }
  std::int32_t below(std::int32_t end) { return static_cast<std::int32_t>(unit() * end); }

 private:
  std::uint64_t key_, number_ = 0;
};

inline void grow_tree(Draws& draws, std::int32_t features, std::int32_t depth,
                      std::vector<slowdown::ForestNode>& nodes) {
  const std::size_t at = nodes.size();
  nodes.emplace_back();
  if (depth == 0 || draws.unit() < 0.2) {
    nodes[at].threshold = static_cast<float>(draws.between(-0.05, 0.05));
    return;
  }
  slowdown::ForestNode node{.threshold = static_cast<float>(draws.between(-0.2, 1.2)),
                            .feature = draws.below(features),
                            .missing_left = draws.unit() < 0.5};
  node.left = static_cast<std::int32_t>(nodes.size());
  grow_tree(draws, features, depth - 1, nodes);
  node.right = static_cast<std::int32_t>(nodes.size());
  grow_tree(draws, features, depth - 1, nodes);
  nodes[at] = node;
}

inline slowdown::Forest sample_forest(Draws& draws, std::int32_t features, std::int32_t trees = 12,
                                      std::int32_t depth = 4) {
  slowdown::Forest forest{.base = static_cast<float>(draws.between(0.6, 1.1))};
  for (std::int32_t tree = 0; tree < trees; ++tree) {
    forest.roots.push_back(static_cast<std::int32_t>(forest.nodes.size()));
    grow_tree(draws, features, depth, forest.nodes);
  }
  return forest;
}

inline slowdown::Mlp sample_mlp(Draws& draws, std::int32_t features,
                                std::vector<std::int32_t> hidden = {16, 16}) {
  slowdown::Mlp mlp;
  for (std::int32_t i = 0; i < features; ++i) {
    mlp.mean.push_back(draws.between(-1.0, 1.0));
    mlp.scale.push_back(draws.between(0.1, 3.0));
  }
  hidden.push_back(1);
  std::int32_t inputs = features;
  for (const std::int32_t outputs : hidden) {
    slowdown::MlpLayer layer{.inputs = inputs, .outputs = outputs};
    for (std::int32_t i = 0; i < inputs * outputs; ++i) layer.weights.push_back(draws.between(-0.3, 0.3));
    for (std::int32_t i = 0; i < outputs; ++i) layer.bias.push_back(draws.between(-0.2, 0.2));
    mlp.layers.push_back(layer);
    inputs = outputs;
  }
  mlp.layers.back().bias[0] = draws.between(0.6, 1.1);
  return mlp;
}

inline slowdown::RateModel sample_rate(Draws& draws, std::int32_t features) {
  slowdown::RateModel rate;
  if (draws.unit() < 0.5)
    rate.residual = sample_forest(draws, features);
  else
    rate.residual = sample_mlp(draws, features, {1 + draws.below(20), 1 + draws.below(20)});
  rate.seen.low = draws.between(0.02, 0.5);
  rate.seen.high = draws.between(0.6, 1.05);
  return rate;
}

inline slowdown::LearnedModel sample_simulator_model(std::uint64_t key) {
  Draws draws(key);
  constexpr auto features = static_cast<std::int32_t>(slowdown::simulator_feature_count);
  slowdown::LearnedModel model{.name = "sample_" + std::to_string(key)};
  model.base = draws.unit() < 0.5 ? slowdown::Base::contention : slowdown::Base::none;
  model.contention = {.sm_per_channel = draws.between(0.5, 1.5),
                      .memory_interference = draws.between(0.5, 1.5)};
  for (std::int32_t i = 0; i < features; ++i) {
    const double low = draws.between(-5.0, 0.5);
    model.ranges.push_back({low, low + draws.between(-0.5, 12.0)});
  }
  model.kernel = sample_rate(draws, features);
  if (draws.unit() < 0.5) model.collective = sample_rate(draws, features);
  model.evidence = {
      .rows = 12,
      .dataset = "0123456789abcdef0123456789abcdef",
      .seed = key,
      .gpus = {"a100-sxm", "h100-sxm"},
      .errors = {{"this model", "by row", 0.05, -0.01}, {"no slowdown", "by row", 0.11, -0.03, 0.01}}};
  return model;
}

inline slowdown::LearnedModel sample_metric_model(std::uint64_t key) {
  Draws draws(key);
  constexpr auto features = static_cast<std::int32_t>(slowdown::metric_feature_count);
  slowdown::LearnedModel model{
      .name = "families", .features = slowdown::FeatureSet::metrics, .base = slowdown::Base::families};
  constexpr std::int32_t any = slowdown::FamilyRate::any_size;
  model.families = {.sizes_per_octave = 1,
                    .rates = {{"", "", any, 0.9, 40},
                              {"gemm", "", any, 0.8, 20},
                              {"gemm", "gemm<float>", any, 0.7, 10},
                              {"gemm", "gemm<float>", 5, 0.6, 4}}};
  model.ranges.assign(slowdown::metric_feature_count, {-5.0, 20.0});
  model.kernel = sample_rate(draws, features);
  return model;
}

inline ops::KernelPrice sample_kernel(Draws& draws) {
  return {.alone = SimTime(static_cast<std::int64_t>(draws.between(0.0, 1e9))),
          .sm_share = draws.unit(),
          .memory_share = draws.unit(),
          .compute_bound = draws.unit()};
}

inline ops::CollectiveEstimate sample_collective(Draws& draws) {
  return {.time = SimTime(static_cast<std::int64_t>(draws.between(0.0, 1e10))),
          .channels = draws.below(65),
          .memory_rate = draws.between(0.0, 3e12)};
}

}  // namespace echo::testing
