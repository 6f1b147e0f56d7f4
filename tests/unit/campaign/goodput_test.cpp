// [reliability] and a job, to goodput: rates, checkpoints, what is unknown, and laws over random jobs.
#include "campaign/goodput.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "campaign/checkpoint_interval.hpp"
#include "campaign/checkpoint_size.hpp"

namespace echo::campaign {
namespace {

constexpr double minute = 60.0, hour = 3600.0, day = 24 * hour;

Reliability plain() {
  Reliability r;
  r.gpu_mtbf = 45000 * hour, r.detection = 2 * minute, r.restart = 10 * minute;
  r.every = 0.0, r.write_bandwidth = 200e9;
  return r;
}
Job big() {
  return {.gpus = 16384,
          .nodes = 2048,
          .step = 10.0,
          .step_p90 = 0.1,
          .whole_work = 60 * day,
          .checkpoint_bytes = 5.7e12,
          .host_link = 50e9};
}

TEST(GoodputTest, TheSameRateInThreeWords) {
  Reliability by_node = plain(), by_job = plain();
  by_node.gpu_mtbf = by_job.gpu_mtbf = -1.0;
  by_node.node_mtbf = 45000 * hour / 8, by_job.job_mtbf = 45000 * hour / 16384;
  const double rate = failure_process(plain(), big()).rate;
  EXPECT_DOUBLE_EQ(rate, 16384 / (45000 * hour));
  EXPECT_DOUBLE_EQ(failure_process(by_node, big()).rate, rate);
  EXPECT_DOUBLE_EQ(failure_process(by_job, big()).rate, rate);
}

TEST(GoodputTest, TheSlowerOfStorageAndNodesWritesACheckpoint) {
  Reliability r = plain();
  EXPECT_DOUBLE_EQ(failure_process(r, big()).stall, 5.7e12 / 200e9);
  r.node_write_bandwidth = 0.05e9;
  EXPECT_DOUBLE_EQ(failure_process(r, big()).stall, 5.7e12 / (2048 * 0.05e9));
  r.write_bandwidth = r.node_write_bandwidth = -1.0, r.write_time = 40.0;
  EXPECT_DOUBLE_EQ(failure_process(r, big()).stall, 40.0);
}

TEST(GoodputTest, AnAsynchronousCheckpointStallsForTheCopyAlone) {
  Reliability r = plain();
  r.mode = CheckpointMode::async;
  const FailureProcess p = failure_process(r, big());
  EXPECT_DOUBLE_EQ(p.stall, 5.7e12 / 16384 / 50e9);
  EXPECT_DOUBLE_EQ(p.durable, 5.7e12 / 200e9);
  EXPECT_GT(goodput(r, big()).goodput, goodput(plain(), big()).goodput);
  r.stall = 3.0;
  EXPECT_DOUBLE_EQ(failure_process(r, big()).stall, 3.0);
}

TEST(GoodputTest, ReadingTheCheckpointLengthensARestart) {
  Reliability r = plain();
  r.read_bandwidth = 100e9;
  EXPECT_DOUBLE_EQ(failure_process(r, big()).downtime, 12 * minute + 57.0);
}

TEST(GoodputTest, UnknownStaysUnknown) {
  const auto is_unknown = [](const Goodput& g) {
    return std::isnan(g.goodput) && std::isnan(g.interval) && std::isnan(g.train_time_p90);
  };
  Job job = big();
  job.checkpoint_bytes = std::nan("");
  EXPECT_TRUE(is_unknown(goodput(plain(), job)));
  Reliability by_time = plain();
  by_time.write_bandwidth = -1.0, by_time.write_time = 30.0;  // needs no bytes
  EXPECT_FALSE(is_unknown(goodput(by_time, job)));
  Reliability async = plain();
  async.mode = CheckpointMode::async;
  job = big();
  job.host_link = 0.0;
  EXPECT_TRUE(is_unknown(goodput(async, job)));
  job = big();
  job.whole_work = 0.0;
  const Goodput endless = goodput(plain(), job);
  EXPECT_GT(endless.goodput, 0.5);
  EXPECT_TRUE(std::isnan(endless.train_time));
}

TEST(GoodputTest, WhereNothingAdvancesItIsZeroAndTheTrainingEndless) {
  Reliability r = plain();
  r.gpu_mtbf = 10 * hour;  // a failure each two seconds
  const Goodput g = goodput(r, big());
  EXPECT_EQ(g.goodput, 0.0);
  EXPECT_TRUE(std::isinf(g.train_time) && std::isinf(g.train_time_p50) && std::isinf(g.train_time_p90));
}

TEST(GoodputTest, AnIntervalIsWithinAStepAndTheTraining) {
  Reliability r = plain();
  r.every = 90 * day;
  EXPECT_EQ(goodput(r, big()).interval, 60 * day);
  r = plain();
  r.write_bandwidth = -1.0, r.write_time = 0.0;  // the best interval is none
  EXPECT_EQ(goodput(r, big()).interval, 10.0);
}

TEST(GoodputTest, TrainTimeIsItsStepsOverGoodput) {
  const Goodput g = goodput(plain(), big());
  EXPECT_NEAR(g.train_time * g.goodput / (60 * day), 1.0, 1e-12);
}

TEST(GoodputTest, LawsOverRandomJobs) {
  std::mt19937_64 random(11);
  const auto between = [&](double low, double high) {
    return low * std::pow(high / low, std::uniform_real_distribution<double>(0.0, 1.0)(random));
  };
  for (int i = 0; i < 3000; ++i) {
    Reliability r;
    r.gpu_mtbf = between(300 * hour, 1e6 * hour);
    r.detection = between(1.0, hour), r.restart = between(10.0, 3 * hour);
    r.every = random() % 2 == 0 ? 0.0 : between(minute, day);
    r.mode = random() % 2 == 0 ? CheckpointMode::async : CheckpointMode::blocking;
    r.write_bandwidth = between(1e9, 1e13);
    if (random() % 2 == 0)
      r.repair = between(hour, 10 * day), r.spares = static_cast<std::int64_t>(random() % 9);
    Job job = big();
    job.gpus = static_cast<std::int64_t>(between(8, 20000)), job.nodes = (job.gpus + 7) / 8;
    job.checkpoint_bytes = between(1e9, 1e14), job.whole_work = between(hour, 300 * day);
    job.step_p90 = random() % 3 == 0 ? 0.0 : between(0.001, 0.5);
    const Goodput g = goodput(r, job);
    ASSERT_GE(g.goodput, 0.0);
    ASSERT_LT(g.goodput, 1.0);
    ASSERT_LE(g.train_time_p50, g.train_time_p90) << i;
    ASSERT_GE(g.train_time, job.whole_work * (1.0 - 1e-12));
    Job larger = job;  // the same training on more machines that fail
    larger.gpus *= 2, larger.nodes *= 2;
    larger.host_link /= 2.0;  // as long a copy
    if (r.repair < 0.0) {
      ASSERT_LE(goodput(r, larger).goodput, g.goodput) << i;
    }
    Reliability worse = r;
    worse.gpu_mtbf /= 1.5;
    ASSERT_LE(goodput(worse, job).goodput, g.goodput) << i;
    if (r.every > 0.0) {
      Reliability best = r;
      best.every = 0.0;
      ASSERT_GE(goodput(best, job).goodput, g.goodput * (1.0 - 1e-9)) << i;
    }
  }
}

TEST(ReliabilityTest, APresetFillsWhatIsLeftOpen) {
  Reliability preset = plain();
  preset.mode = CheckpointMode::async, preset.stall = 2.0, preset.repair = day, preset.spares = 4;
  Reliability own;
  own.preset = "lab", own.node_mtbf = 1000 * hour, own.write_time = 30.0, own.restart = minute;
  const Reliability both = filled_up(own, preset);
  EXPECT_EQ(both.gpu_mtbf, -1.0);  // one time between failures, not two
  EXPECT_EQ(both.node_mtbf, 1000 * hour);
  EXPECT_EQ(both.write_bandwidth, -1.0);
  EXPECT_EQ(both.write_time, 30.0);
  EXPECT_EQ(both.detection, 2 * minute);
  EXPECT_EQ(both.restart, minute);
  EXPECT_EQ(both.mode, CheckpointMode::async);
  EXPECT_EQ(both.spares, 4);
  own.mode_is_given = true;
  EXPECT_EQ(filled_up(own, preset).mode, CheckpointMode::blocking);
  EXPECT_EQ(describe(Reliability{}), "");
  EXPECT_EQ(describe(both).rfind("preset lab, node_mtbf 3600000 s", 0), 0u) << describe(both);
}

training::ModelSpec about_billions(double billions) {
  training::ModelSpec m;
  m.layers = 1, m.hidden = 1000, m.heads = m.kv_heads = 1, m.head_dim = 1000;
  m.ffn_hidden = static_cast<std::int32_t>(billions * 1e9 / 2000.0), m.vocab = 1, m.max_positions = 0;
  m.linear_bias = false;
  return m;
}

TEST(CheckpointSizeTest, BytesOfAParameter) {
  const training::ModelSpec model = about_billions(1.0);
  const auto parameters = static_cast<double>(training::total_parameters(model));
  training::TrainingConfig c;
  training::FrameworkSpec f;
  c.precision = training::Precision::bf16, c.recipe.optimizer = training::Optimizer::adam;
  EXPECT_DOUBLE_EQ(checkpoint_bytes(c, model, f), 14.0 * parameters);
  c.precision = training::Precision::fp8;  // 8-bit copies are made again
  EXPECT_DOUBLE_EQ(checkpoint_bytes(c, model, f), 14.0 * parameters);
  c.precision = training::Precision::fp32;
  EXPECT_DOUBLE_EQ(checkpoint_bytes(c, model, f), 12.0 * parameters);
  c.precision = training::Precision::bf16, c.zero = training::ZeroStage::parameters;
  f.gradients = training::GradientStore::main_buffer;
  EXPECT_DOUBLE_EQ(checkpoint_bytes(c, model, f), 12.0 * parameters);  // FSDP's fp32 shards
  f.gradients = training::GradientStore::partitioned;
  EXPECT_DOUBLE_EQ(checkpoint_bytes(c, model, f), 14.0 * parameters);  // DeepSpeed's ZeRO-3
  c.recipe.lora_rank = 8;
  EXPECT_TRUE(std::isnan(checkpoint_bytes(c, model, f)));
}

}  // namespace
}  // namespace echo::campaign
