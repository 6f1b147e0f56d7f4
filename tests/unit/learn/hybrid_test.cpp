// Models put together of a base and trained residuals keep what slowdown/model.hpp promises of factors.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "learn/fit/booster.hpp"
#include "learn/fit/fit.hpp"
#include "slowdown/learned_view.hpp"
#include "slowdown/model_file.hpp"
#include "slowdown/rate_kept.hpp"
#include "tests/support/sample_learned.hpp"
#include "tests/support/sanitized.hpp"

namespace echo::learn {
namespace {

using slowdown::Base;
using slowdown::Contention;
using slowdown::Factors;
using slowdown::LearnedModel;
using testing::a100_machine;
using testing::Draws;

struct Pair {
  ops::KernelPrice kernel;
  ops::CollectiveEstimate collective;
};

Pair drawn_pair(Draws& draws) {
  Pair pair{testing::sample_kernel(draws), testing::sample_collective(draws)};
  pair.collective.channels += 1;
  return pair;
}

// Kernels lose more SMs and feel more of the excess demand than the white box says at its default constants.
double true_factor(const Pair& pair) {
  const Contention truth{.sm_per_channel = 1.6, .memory_interference = 1.3};
  return contend(truth, pair.kernel, pair.collective, a100_machine).kernel;
}

constexpr std::size_t features = slowdown::simulator_feature_count;

Samples drawn_samples(std::size_t rows, Base base, double scatter) {
  const auto names = slowdown::feature_names(slowdown::FeatureSet::simulator);
  Samples samples{.features = {names.begin(), names.end()}};
  Draws draws(11);
  for (std::size_t row = 0; row < rows; ++row) {
    const Pair pair = drawn_pair(draws);
    std::array<double, features> values{};
    slowdown::simulator_features(pair.kernel, pair.collective, a100_machine, values);
    samples.values.insert(samples.values.end(), values.begin(), values.end());
    samples.target.push_back(1.0 / true_factor(pair) + draws.between(-scatter, scatter));
    samples.weight.push_back(std::max(0.05, samples.target.back()));
    if (base == Base::contention)
      samples.base.push_back(1.0 / contend({}, pair.kernel, pair.collective, a100_machine).kernel);
  }
  return samples;
}

LearnedModel trained(Base base, const Settings& settings, const std::vector<std::int32_t>& monotone,
                     double scatter) {
  const Samples samples = drawn_samples(support::is_sanitized ? 120 : 800, base, scatter);
  LearnedModel model{.name = "hybrid", .base = base};
  for (std::size_t i = 0; i < features; ++i) {
    slowdown::Range range{samples.values[i], samples.values[i]};
    for (std::size_t at = i; at < samples.values.size(); at += features) {
      range.low = std::min(range.low, samples.values[at]);
      range.high = std::max(range.high, samples.values[at]);
    }
    model.ranges.push_back(range);
  }
  const auto [low, high] = std::minmax_element(samples.target.begin(), samples.target.end());
  model.kernel = {fit(samples, settings, monotone, 4), {std::max(0.01, *low), *high}};
  model.collective = model.kernel;
  return model;
}

std::vector<std::int32_t> signs() {
  const auto bound = slowdown::monotone_signs(slowdown::FeatureSet::simulator);
  return {bound.begin(), bound.end()};
}

// Pairs beyond those trained on; each asks for more of one thing, by a lot or by a hair.
std::int32_t falls_of(const LearnedModel& model) {
  const std::string image = make_image(model);
  const slowdown::LearnedView view(std::as_bytes(std::span(image)));
  std::int32_t falls = 0;
  for (std::uint64_t key = 0; key < support::trials(5000U); ++key) {
    Draws draws(5000 + key);
    const Pair pair = drawn_pair(draws);
    Pair more = pair;
    const double step = draws.unit() < 0.5 ? draws.unit() : 1e-9 * draws.unit();
    switch (key % 4) {
      case 0:
        more.collective.channels += 1 + draws.below(20);
        break;
      case 1:
        more.collective.memory_rate += step * 1e12;
        break;
      case 2:
        more.kernel.sm_share += step * (1.0 - more.kernel.sm_share);
        break;
      case 3:
        more.kernel.memory_share += step * (1.0 - more.kernel.memory_share);
        break;
    }
    const Factors before = view.predict(pair.kernel, pair.collective, a100_machine);
    const Factors after = view.predict(more.kernel, more.collective, a100_machine);
    EXPECT_GE(before.kernel, 1.0);
    falls += after.kernel < before.kernel || after.collective < before.collective ? 1 : 0;
  }
  return falls;
}

double error_of(const LearnedModel& model) {
  double sum = 0.0;
  Draws draws(99);
  for (std::int32_t i = 0; i < 1000; ++i) {
    const Pair pair = drawn_pair(draws);
    const double measured = true_factor(pair);
    sum += std::abs(predict(model, pair.kernel, pair.collective, a100_machine).kernel / measured - 1.0);
  }
  return sum / 1000.0;
}

LearnedModel white_box() {
  LearnedModel model{.name = "white box", .base = Base::contention};
  model.ranges.assign(features, {0.0, 1.0});
  model.kernel.seen = {0.01, 1.0};
  return model;
}

// With rates that scatter, so that a free fit follows the scatter.
void expect_no_falls(const Settings& settings) {
  for (const Base base : {Base::contention, Base::none}) {
    const LearnedModel held = trained(base, settings, signs(), 0.15);
    EXPECT_EQ(falls_of(held), 0);
    EXPECT_GT(falls_of(trained(base, settings, {}, 0.15)), 0);
    EXPECT_EQ(slowdown::model_from_bytes(model_to_bytes(held), "a file"), held);
  }
}

void expect_better_than_its_base(const Settings& settings) {
  if (support::is_sanitized) GTEST_SKIP() << support::statistics;
  EXPECT_LT(error_of(trained(Base::contention, settings, signs(), 0.02)), 0.6 * error_of(white_box()));
}

TEST(Hybrid, OfTreesNeverFallsWithADemand) {
  if (!is_built_with_xgboost()) GTEST_SKIP() << "built without xgboost";
  expect_no_falls(TreeSettings{});
}

TEST(Hybrid, OfANetworkNeverFallsWithADemand) { expect_no_falls(MlpSettings{}); }

TEST(Hybrid, OfTreesBettersItsBase) {
  if (!is_built_with_xgboost()) GTEST_SKIP() << "built without xgboost";
  expect_better_than_its_base(TreeSettings{});
}

TEST(Hybrid, OfANetworkBettersItsBase) { expect_better_than_its_base(MlpSettings{}); }

}  // namespace
}  // namespace echo::learn
