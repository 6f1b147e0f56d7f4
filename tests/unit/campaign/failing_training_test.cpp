// From a simulated step and [reliability] to the columns of a row.
#include <gtest/gtest.h>

#include <cmath>

#include "base/at.hpp"
#include "campaign/whole_training.hpp"

namespace echo::campaign {
namespace {

constexpr double hour = 3600.0;

// 64 GPUs in nodes of 8 train a small model; a step takes 4 s, one in fifty of it checkpoints.
struct Trained {
  simulate::Catalog catalog;
  training::TrainingConfig config;
  simulate::StepReport report;
  Terms terms;

  Trained() {
    catalog.gpus.resize(1);
    catalog.clusters.resize(1);
    catalog.clusters[0].gpu = machine::GpuId(0);
    catalog.models.resize(1);
    training::ModelSpec& model = catalog.models[0];
    model.layers = 4, model.hidden = 4096, model.heads = model.kv_heads = 32, model.head_dim = 128;
    model.ffn_hidden = 16384, model.vocab = 50000;
    catalog.frameworks.resize(1);
    config.cluster = machine::ClusterId(0), config.model = training::ModelId(0);
    config.framework = training::FrameworkId(0);
    config.degrees.data = 64;
    report.step = from_seconds(4.0), report.tokens_per_second = 1e6;
    report.exposed[at(TimeCategory::checkpoint)] = from_seconds(0.08);
    terms.target_tokens = 1e12;
  }
  void fail() {
    Reliability& r = terms.reliability;
    r.node_mtbf = 500 * hour, r.detection = 300.0, r.restart = 600.0, r.every = 0.0, r.write_time = 20.0;
  }
  [[nodiscard]] PlannedTraining planned() const { return {config, report, catalog, terms}; }
};

TEST(FailingTrainingTest, WithoutTheSectionNothingChanges) {
  const Trained t;
  EXPECT_EQ(train_time(t.planned()), 1e6);
  EXPECT_TRUE(std::isnan(goodput(t.planned())) && std::isnan(checkpoint_interval(t.planned())));
  EXPECT_TRUE(std::isnan(train_time_p50(t.planned())) && std::isnan(train_time_p90(t.planned())));
  EXPECT_DOUBLE_EQ(gpu_hours(t.planned()), 1e6 / hour * 64);
}

TEST(FailingTrainingTest, CheckpointsOfTheStepAreNotCountedTwice) {
  Trained t;
  t.fail();
  EXPECT_NEAR(train_time(t.planned()), 0.98e6 / goodput(t.planned()), 1e-3);
  EXPECT_LT(goodput(t.planned()), 1.0);
  EXPECT_GT(goodput(t.planned()), 0.9);
}

TEST(FailingTrainingTest, EightNodesFailEightTimesAsOften) {
  Trained t;
  t.fail();
  Trained one = t;
  one.terms.reliability.node_mtbf = -1.0, one.terms.reliability.job_mtbf = 500 * hour / 8;
  EXPECT_DOUBLE_EQ(goodput(t.planned()), goodput(one.planned()));
}

TEST(FailingTrainingTest, SpareNodesArePaidToo) {
  Trained t;
  t.fail();
  t.terms.reliability.repair = 24 * hour, t.terms.reliability.spares = 2;
  EXPECT_DOUBLE_EQ(gpu_hours(t.planned()), train_time(t.planned()) / hour * (64 + 16));
}

TEST(FailingTrainingTest, AStepThatWasNotTimedHasNoGoodput) {
  Trained t;
  t.fail();
  t.report = {};
  EXPECT_TRUE(std::isnan(goodput(t.planned())) && std::isnan(train_time(t.planned())));
}

TEST(FailingTrainingTest, WithoutALengthThereIsGoodputAndNoTime) {
  Trained t;
  t.fail();
  t.terms.target_tokens = 0.0;
  EXPECT_GT(goodput(t.planned()), 0.9);
  EXPECT_TRUE(std::isnan(train_time(t.planned())) && std::isnan(train_time_p90(t.planned())));
}

TEST(FailingTrainingTest, TheStepsErrorSpreadsTheEnd) {
  Trained t;
  t.fail();
  t.report.rel_error_p90 = 0.2F;
  EXPECT_NEAR(train_time_p90(t.planned()) / train_time_p50(t.planned()), std::exp(0.2), 0.01);
}

}  // namespace
}  // namespace echo::campaign
