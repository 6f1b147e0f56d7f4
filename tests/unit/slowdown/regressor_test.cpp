#include "slowdown/regressor.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/contract.hpp"
#include "tests/support/sample_learned.hpp"

namespace echo::slowdown {
namespace {

using testing::Draws;
using testing::sample_forest;
using testing::sample_mlp;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// 1 where feature 0 is less than 0.5, else 2 where feature 1 is less than 3, else 4. Unknown: right, then
// left.
Forest small_forest() {
  return {.nodes = {{0.5F, 0, 1, 2, false}, {1.0F}, {3.0F, 1, 3, 4, true}, {2.0F}, {4.0F}},
          .roots = {0},
          .base = 0.25F};
}

TEST(Forest, GoesLeftWhereLessAndWhereTheNodeSaysForNan) {
  const Regressor forest = small_forest();
  EXPECT_EQ(evaluate(forest, std::vector{0.4, 9.0}), 1.25);
  EXPECT_EQ(evaluate(forest, std::vector{0.5, 2.0}), 2.25);
  EXPECT_EQ(evaluate(forest, std::vector{0.5, 3.0}), 4.25);
  EXPECT_EQ(evaluate(forest, std::vector{nan, nan}), 2.25);
}

TEST(Forest, ComparesAndAddsInSinglePrecision) {
  Forest forest = small_forest();
  const double just_less = 0.5 - 1e-12;  // as a float it is 0.5
  EXPECT_EQ(evaluate(forest, std::vector{just_less, 2.0}), 2.25);
  forest.base = 1e8F;  // a float has no room for 1 more
  EXPECT_EQ(evaluate(forest, std::vector{0.0, 0.0}), 1e8);
}

TEST(Forest, OfNoTreesIsItsBase) { EXPECT_EQ(evaluate(Forest{.base = 0.5F}, std::vector{1.0}), 0.5); }

TEST(Mlp, IsWhatItsLayersSay) {
  const Mlp mlp{.mean = {1.0, 2.0},
                .scale = {2.0, 0.5},
                .layers = {{.inputs = 2, .outputs = 2, .weights = {1, 1, -1, 0}, .bias = {0.5, 0.25}},
                           {.inputs = 2, .outputs = 1, .weights = {2, 3}, .bias = {-1}}}};
  EXPECT_DOUBLE_EQ(evaluate(mlp, std::vector{3.0, 2.5}),
                   2.0 * (1.0 + 1.0 + 0.5) - 1.0);  // second unit: ReLU(-0.75)
  EXPECT_DOUBLE_EQ(evaluate(mlp, std::vector{nan, nan}),
                   2.0 * 0.5 + 3.0 * 0.25 - 1.0);  // both at their means
}

TEST(IsSound, HoldsForDrawnRegressors) {
  for (std::uint64_t key = 0; key < 50; ++key) {
    Draws draws(key);
    EXPECT_TRUE(is_sound(sample_forest(draws, 5), 5));
    EXPECT_TRUE(is_sound(sample_mlp(draws, 5), 5));
  }
}

TEST(IsSound, RefusesAForestWhoseWalkCouldLeaveItOrNotEnd) {
  const auto refuses = [](auto change) {
    Forest forest = small_forest();
    change(forest);
    EXPECT_FALSE(is_sound(forest, 2));
  };
  EXPECT_TRUE(is_sound(small_forest(), 2));
  EXPECT_FALSE(is_sound(small_forest(), 1));
  refuses([](Forest& f) { f.nodes[2].left = 0; });
  refuses([](Forest& f) { f.nodes[2].right = 2; });
  refuses([](Forest& f) { f.nodes[2].right = 5; });
  refuses([](Forest& f) { f.nodes[0].left = -1; });
  refuses([](Forest& f) { f.nodes[0].feature = 2; });
  refuses([](Forest& f) { f.nodes[0].feature = -2; });
  refuses([](Forest& f) { f.roots[0] = 5; });
  refuses([](Forest& f) { f.roots[0] = -1; });
  refuses([](Forest& f) { f.nodes[1].threshold = std::numeric_limits<float>::infinity(); });
  refuses([](Forest& f) { f.base = std::numeric_limits<float>::quiet_NaN(); });
}

TEST(IsSound, RefusesANetworkWhoseShapesDisagreeOrWhoseSumsCouldOverflow) {
  const auto refuses = [](auto change) {
    Draws draws(1);
    Mlp mlp = sample_mlp(draws, 3, {4, 5});
    change(mlp);
    EXPECT_FALSE(is_sound(mlp, 3));
  };
  refuses([](Mlp& m) { m.layers.clear(); });
  refuses([](Mlp& m) { m.layers.pop_back(); });
  refuses([](Mlp& m) { m.layers[1].weights.pop_back(); });
  refuses([](Mlp& m) { m.layers[1].bias.push_back(0.0); });
  refuses([](Mlp& m) { m.layers[1].inputs = 5; });
  refuses([](Mlp& m) { m.layers[0].outputs = 0; });
  refuses([](Mlp& m) { m.layers[0].outputs = -4; });
  refuses([](Mlp& m) { m.mean.pop_back(); });
  refuses([](Mlp& m) { m.scale[0] = 0.0; });
  refuses([](Mlp& m) { m.scale[0] = -1.0; });
  refuses([](Mlp& m) { m.layers[1].weights[0] = nan; });
  refuses([](Mlp& m) { m.layers[1].bias[0] = 1e300; });
  refuses([](Mlp& m) { m.layers.insert(m.layers.end(), 9, m.layers.back()); });
}

TEST(IsSound, KeepsTheLargestNetworkFinite) {
  Mlp mlp{.mean = {-max_weight}, .scale = {1.0 / max_weight}, .layers = {}};
  std::int32_t inputs = 1;
  for (std::size_t layer = 0; layer < max_layers; ++layer) {
    const std::int32_t outputs = layer + 1 < max_layers ? max_width : 1;
    mlp.layers.push_back({inputs, outputs,
                          std::vector<double>(static_cast<std::size_t>(inputs * outputs), max_weight),
                          std::vector<double>(static_cast<std::size_t>(outputs), max_weight)});
    inputs = outputs;
  }
  ASSERT_TRUE(is_sound(mlp, 1));
  EXPECT_TRUE(std::isfinite(evaluate(mlp, std::vector{max_weight})));
}

}  // namespace
}  // namespace echo::slowdown
