#include "learn/fit/fit_mlp.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "learn/fit/network.hpp"
#include "tests/support/sample_samples.hpp"
#include "tests/support/sanitized.hpp"

namespace echo::learn {
namespace {

using testing::sample_samples;

double error_of(const slowdown::Mlp& mlp, const Samples& samples) {
  double squares = 0.0;
  const std::size_t features = samples.features.size();
  for (std::size_t row = 0; row < samples.target.size(); ++row) {
    const auto values = std::span(samples.values).subspan(row * features, features);
    squares += std::pow(slowdown::evaluate(mlp, values) - samples.target[row], 2);
  }
  return squares / static_cast<double>(samples.target.size());
}

Network drawn_network(const std::vector<Eigen::Index>& widths) {
  Network network;
  for (std::size_t layer = 0; layer + 1 < widths.size(); ++layer) {
    DenseLayer dense{Eigen::MatrixXd(widths[layer + 1], widths[layer]), Eigen::VectorXd(widths[layer + 1])};
    for (Eigen::Index j = 0; j < dense.weights.rows(); ++j) {
      dense.bias(j) = draw_unit(1, layer, static_cast<std::uint64_t>(1000 + j)) - 0.4;
      for (Eigen::Index i = 0; i < dense.weights.cols(); ++i)
        dense.weights(j, i) = draw_unit(1, layer, static_cast<std::uint64_t>(50 * j + i)) - 0.5;
    }
    network.push_back(dense);
  }
  return network;
}

Batch drawn_batch(Eigen::Index features, Eigen::Index rows) {
  Batch batch{Eigen::MatrixXd(features, rows), Eigen::RowVectorXd(rows), Eigen::RowVectorXd(rows)};
  for (Eigen::Index row = 0; row < rows; ++row) {
    for (Eigen::Index i = 0; i < features; ++i)
      batch.inputs(i, row) =
          2.0 * draw_unit(2, static_cast<std::uint64_t>(row), static_cast<std::uint64_t>(i)) - 1.0;
    batch.target(row) = draw_unit(3, static_cast<std::uint64_t>(row), 0);
    batch.weight(row) = 0.1 + draw_unit(3, static_cast<std::uint64_t>(row), 1);
  }
  return batch;
}

TEST(Network, GradientEqualsFiniteDifferences) {
  Network network = drawn_network({4, 7, 5, 1});
  const Batch batch = drawn_batch(4, 20);
  const Network gradient = gradient_of(network, batch);
  const auto expect_derivative = [&](double& number, double derivative) {
    constexpr double step = 1e-6;
    const double before = number;
    number = before + step;
    const double above = loss_of(network, batch);
    number = before - step;
    const double below = loss_of(network, batch);
    number = before;
    ASSERT_NEAR(derivative, (above - below) / (2.0 * step), 1e-8);
  };
  double norm = 0.0;
  for (std::size_t layer = 0; layer < network.size(); ++layer) {
    for (Eigen::Index j = 0; j < network[layer].weights.rows(); ++j) {
      expect_derivative(network[layer].bias(j), gradient[layer].bias(j));
      for (Eigen::Index i = 0; i < network[layer].weights.cols(); ++i)
        expect_derivative(network[layer].weights(j, i), gradient[layer].weights(j, i));
    }
    norm += gradient[layer].weights.squaredNorm();
  }
  EXPECT_GT(norm, 1e-4);
}

TEST(Mlp, LearnsASurfaceThatNoPlaneFits) {
  if (support::is_sanitized) GTEST_SKIP() << support::statistics;
  const Samples training = sample_samples(1, 1200, 3, 0.0, 0.0), unseen = sample_samples(2, 400, 3, 0.0, 0.0);
  const double plane = error_of(fit_mlp(training, {.hidden = {}}, {}, 5), unseen);
  EXPECT_LT(error_of(fit_mlp(training, {}, {}, 5), unseen), 0.05 * plane);
}

TEST(Mlp, TwoTrainingsAreTheSameAndSeedsDiffer) {
  const Samples samples = sample_samples(1, 200, 4);
  const MlpSettings settings{.epochs = 30};
  EXPECT_EQ(fit_mlp(samples, settings, {}, 5), fit_mlp(samples, settings, {}, 5));
  EXPECT_NE(fit_mlp(samples, settings, {}, 5), fit_mlp(samples, settings, {}, 6));
}

// Epochs that the held-back rows do not gain from leave no trace: each longer training is the same network,
// or a new best one; and on noise the first is what happens mostly.
TEST(Mlp, KeepsTheBestEpochNotTheLast) {
  const Samples noise = sample_samples(1, 60, 4, 3.0);
  slowdown::Mlp before = fit_mlp(noise, {.epochs = 1, .patience = 1000, .learning_rate = 0.02}, {}, 5);
  std::int32_t kept = 0, bettered = 0;
  for (std::int32_t epochs = 2; epochs <= 40; ++epochs) {
    const slowdown::Mlp now =
        fit_mlp(noise, {.epochs = epochs, .patience = 1000, .learning_rate = 0.02}, {}, 5);
    (now == before ? kept : bettered) += 1;
    before = now;
  }
  EXPECT_GT(kept, 10);
  EXPECT_GT(bettered, 0);
  EXPECT_EQ(fit_mlp(noise, {.epochs = 100000, .patience = 30, .learning_rate = 0.02}, {}, 5), before);
}

TEST(Mlp, WeightDecayShrinksWeights) {
  const Samples samples = sample_samples(1, 100, 3);
  const auto size_of = [&](double decay) {
    double size = 0.0;
    for (const auto& layer :
         fit_mlp(samples, {.epochs = 60, .weight_decay = decay, .validation = 0.0}, {}, 5).layers)
      for (const double weight : layer.weights) size += weight * weight;
    return size;
  };
  EXPECT_LT(size_of(3.0), 0.7 * size_of(0.0));
}

TEST(Mlp, KeepsMonotoneConstraintsExactly) {
  constexpr std::size_t features = 5;
  const Samples samples = sample_samples(1, 300, features, 1.5);
  const std::vector<std::int32_t> monotone{-1, -1, 0, 1, 0};
  const slowdown::Mlp held = fit_mlp(samples, {.epochs = 60}, monotone, 5);
  const slowdown::Mlp free = fit_mlp(samples, {.epochs = 60}, {}, 5);
  bool free_breaks_them = false;
  for (std::size_t row = 0; row < support::trials(20000U); ++row) {
    std::vector<double> low;
    for (std::size_t i = 0; i < features; ++i) low.push_back(5.0 * draw_unit(20, row, i) - 1.5);
    const std::size_t moved = draw(21, row, 0) % features;
    const double sign = monotone[moved];
    std::vector<double> high = low;
    high[moved] += draw_unit(22, row, 0) * std::pow(10.0, -12.0 * draw_unit(22, row, 1));
    ASSERT_LE(sign * slowdown::evaluate(held, low), sign * slowdown::evaluate(held, high)) << row;
    free_breaks_them |= sign * slowdown::evaluate(free, low) > sign * slowdown::evaluate(free, high);
  }
  EXPECT_TRUE(free_breaks_them);
}

// 1 / (1.5 + a) is convex and the step down of b is not: signs of one kind only could not follow both.
TEST(Mlp, LearnsUnderConstraintsThatHold) {
  if (support::is_sanitized) GTEST_SKIP() << support::statistics;
  const Samples training = sample_samples(1, 1200, 3, 0.0, 0.0), unseen = sample_samples(2, 400, 3, 0.0, 0.0);
  const double plane = error_of(fit_mlp(training, {.hidden = {}}, {}, 5), unseen);
  EXPECT_LT(error_of(fit_mlp(training, {}, {-1, -1, 0}, 5), unseen), 0.1 * plane);
}

TEST(Mlp, FeatureThatIsNeverKnownOrNeverMovesIsHarmless) {
  Samples samples = sample_samples(1, 200, 3, 0.0, 0.0);
  for (std::size_t row = 0; row < 200; ++row) {
    samples.values[row * 3 + 1] = std::nan("");
    samples.values[row * 3 + 2] = 7.0;
  }
  const slowdown::Regressor mlp = fit_mlp(samples, {.epochs = 20}, {}, 5);
  EXPECT_TRUE(slowdown::is_sound(mlp, 3));
  EXPECT_TRUE(std::isfinite(slowdown::evaluate(mlp, std::vector{0.1, std::nan(""), 7.0})));
}

TEST(Mlp, LearnsWhatOfABaseIsKept) {
  Samples samples = sample_samples(1, 300, 4);
  samples.base = samples.target;
  for (double& base : samples.base) base *= 4.0;
  const slowdown::Mlp mlp = fit_mlp(samples, {.epochs = 5}, {}, 5);
  EXPECT_NEAR(slowdown::evaluate(mlp, std::span(samples.values).first(4)), 0.25, 1e-6);
}

}  // namespace
}  // namespace echo::learn
