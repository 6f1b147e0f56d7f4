#include "learn/evaluate/train_model.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.hpp"
#include "learn/fit/booster.hpp"
#include "learn/fit/fit_rate.hpp"
#include "slowdown/model_file.hpp"
#include "tests/support/learn_examples.hpp"
#include "tests/support/sanitized.hpp"

using namespace echo;
using namespace echo::learn;
using echo::testing::metric_examples;

static const FoldSettings quick{.folds = 3, .repeats = 1};

static std::string function() { return is_built_with_xgboost() ? "trees" : "mlp"; }

static Training trained_on(const Examples& examples, const TrainRequest& request) {
  return train_model(
      echo::testing::candidates_named(examples, {"no_slowdown", "white_box", "families", request.candidate}),
      examples, request);
}

TEST(TrainModel, SavesWhatItChoseWithItsEvidence) {
  const Examples examples = metric_examples(120, 4, 1, echo::testing::by_name, 0.02);
  const Training trained = trained_on(examples, {.folds = quick, .dataset = "0123"});
  const slowdown::LearnedModel& model = trained.model;
  EXPECT_TRUE(slowdown::is_sound(model));
  EXPECT_EQ(model.evidence.rows, 120);
  EXPECT_EQ(model.evidence.dataset, "0123");
  EXPECT_EQ(model.evidence.gpus, std::vector<std::string>{"a100-sxm"});
  EXPECT_EQ(model.evidence.errors.front().of, "this model");
  EXPECT_EQ(model.evidence.errors.front().folds, "by row");
  EXPECT_EQ(model.evidence.errors.front().mean, trained.report.chosen.all.mean);
  EXPECT_LT(model.evidence.errors.front().mean, model.evidence.errors[1].mean) << "no slowdown";
  EXPECT_EQ(slowdown::model_from_bytes(slowdown::model_to_bytes(model), "m"), model);
}

TEST(TrainModel, GivesTheSameBytesTwice) {
  const Examples examples =
      metric_examples(support::is_sanitized ? 30 : 90, 4, 2, echo::testing::by_dram, 0.05);
  const TrainRequest request{.candidate = function() + "_on_families", .folds = quick};
  EXPECT_EQ(slowdown::model_to_bytes(trained_on(examples, request).model),
            slowdown::model_to_bytes(trained_on(examples, request).model));
}

TEST(TrainModel, SavesNothingWhereNothingIsLearned) {
  const Examples noise = metric_examples(90, 4, 3, echo::testing::by_nothing, 0.2);
  EXPECT_THROW(static_cast<void>(trained_on(noise, {.folds = quick})), UserError);
  EXPECT_EQ(trained_on(noise, {.candidate = "families", .folds = quick}).model.name, "families");
}

TEST(TrainModel, RefusesNamesThatNoFileHolds) {
  const Examples examples = metric_examples(60, 4, 4, echo::testing::by_dram);
  for (const char* name : {"no_slowdown", "white_box", "forest"})
    EXPECT_THROW(static_cast<void>(trained_on(examples, {.candidate = name, .folds = quick})), UserError)
        << name;
}

// The white box says nothing of kernels with free SMs and little traffic; the data say that channels cost
// anyway, both sides alike.
TEST(TrainModel, LearnsBothSidesOfWhatASweepCanPrice) {
  if (support::is_sanitized) GTEST_SKIP() << support::statistics;
  const Examples examples = echo::testing::priced_examples(200, 5, 2.0);
  const Training trained = trained_on(examples, {.candidate = function() + "_on_white_box", .folds = quick});
  const slowdown::LearnedModel& model = trained.model;
  ASSERT_TRUE(slowdown::is_sound(model));
  ASSERT_TRUE(model.collective.has_value());
  double error = 0.0, without = 0.0;
  for (const Example& example : examples.rows) {
    const double expected = 1.0 + 2.0 * example.pair.collective.channels / 108.0;
    const auto factors = predict(model, example.pair.kernel, example.pair.collective, example.pair.machine);
    error +=
        (std::abs(factors.kernel / expected - 1.0) + std::abs(factors.collective / expected - 1.0)) / 400;
    without += (1.0 - 1.0 / expected) / 200;
  }
  EXPECT_LT(error, 0.5 * without);
  EXPECT_EQ(std::count_if(model.evidence.errors.begin(), model.evidence.errors.end(),
                          [](const slowdown::HeldOutError& one) {
                            return one.of == "this model" && one.folds == "by row, collectives";
                          }),
            1);
}

TEST(DrawnToBase, MovesEveryPredictionTheSameShareOfTheWay) {
  const Examples examples = metric_examples(80, 3, 6, echo::testing::by_dram);
  const MlpSettings small{.hidden = {6}, .epochs = 50};
  const auto fitted = fit_rates(examples, echo::testing::all_rows(examples), {}, small, {1.0, 0.25}, 1);
  for (const Example& example : examples.rows) {
    const auto features = features_of(example, examples.features);
    const double full = slowdown::evaluate(fitted[0].rate.residual, features);
    EXPECT_NEAR(slowdown::evaluate(fitted[1].rate.residual, features), 1.0 + 0.25 * (full - 1.0), 1e-12);
  }
}

TEST(DrawnToBase, HoldsForForestsToo) {
  slowdown::Forest forest{.nodes = {{0.5F, 0, 1, 2, true}, {0.25F}, {-0.125F}}, .roots = {0}, .base = 0.75F};
  const slowdown::Regressor full = forest, half = drawn_to_base(forest, 0.5);
  for (const double x : {0.0, 1.0})
    EXPECT_EQ(slowdown::evaluate(half, std::vector{x}),
              1.0 + 0.5 * (slowdown::evaluate(full, std::vector{x}) - 1.0));
}
