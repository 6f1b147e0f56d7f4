// What published runs have exercised, and what a config adds to it.
#include "simulate/report/practice.hpp"

#include <gtest/gtest.h>

#include <bit>

namespace echo::simulate {
namespace {

// GPUs: two of the kind "a", one of "b". Models: dense, mixture.
Catalog small_catalog() {
  Catalog catalog;
  for (const char* kernels : {"a-sxm", "a-pcie", "b-sxm"}) {
    catalog.gpus.emplace_back().name = kernels;
    catalog.gpus.back().kernels = kernels;
  }
  catalog.models.resize(2);
  catalog.models[1].experts = 8;
  for (const char* name : {"one", "two"}) catalog.frameworks.emplace_back().name = name;
  catalog.clusters.emplace_back().gpu = machine::GpuId(0);
  return catalog;
}

training::TrainingConfig config_on(std::int32_t gpu) {
  training::TrainingConfig config;
  config.model = training::ModelId(0);
  config.cluster = machine::ClusterId(0);
  config.gpu = machine::GpuId(gpu);
  config.framework = training::FrameworkId(0);
  config.schedule = training::ScheduleId(0);
  config.degrees = {.tensor = 8, .pipeline = 4, .data = 2};
  config.batch = {.global_samples = 64, .micro_samples = 2, .sequence_tokens = 2048};
  return config;
}

Practice one_run(const Catalog& catalog, double mfu = 0.5) {
  Practice practice;
  add_run(practice, config_on(0), catalog, mfu, "somebody");
  return practice;
}

TEST(Practice, ARunExercisesItsOwnChoicesOnItsGpuKind) {
  const Catalog catalog = small_catalog();
  EXPECT_EQ(untried(one_run(catalog), config_on(0), catalog), 0);
  EXPECT_EQ(untried(one_run(catalog), config_on(1), catalog), 0) << "the same kind";
  EXPECT_EQ(untried(one_run(catalog), config_on(2), catalog), bit_of(Choice::gpu)) << "no run of that kind";
  EXPECT_EQ(untried({}, config_on(2), catalog), 0) << "of nothing nothing is known";
}

TEST(Practice, EachChoiceCountsOnce) {
  const Catalog catalog = small_catalog();
  const Practice practice = one_run(catalog);
  const auto with = [&](auto change) {
    training::TrainingConfig config = config_on(0);
    change(config);
    return untried(practice, config, catalog);
  };
  EXPECT_EQ(with([](auto& c) { c.model = training::ModelId(1); }), bit_of(Choice::model));
  EXPECT_EQ(with([](auto& c) { c.precision = machine::Precision::fp8; }), bit_of(Choice::precision));
  EXPECT_EQ(with([](auto& c) { c.precision = machine::Precision::fp16; }), 0) << "16 bits too";
  EXPECT_EQ(with([](auto& c) { c.framework = training::FrameworkId(1); }), bit_of(Choice::framework));
  EXPECT_EQ(with([](auto& c) { c.batch.sequence_tokens = 131072; }), bit_of(Choice::seq_len));
  EXPECT_EQ(with([](auto& c) { c.degrees.tensor = 4; }), 0) << "2 to 8 count as one";
  EXPECT_EQ(with([](auto& c) { c.degrees.tensor = 16; }), bit_of(Choice::tp));
  EXPECT_EQ(with([](auto& c) { c.degrees.virtual_stages = 4; }), bit_of(Choice::vpp));
  EXPECT_EQ(with([](auto& c) { c.batch.micro_samples = 3; }), bit_of(Choice::micro_batch));
  EXPECT_EQ(with([](auto& c) { c.degrees.context = 2; }), bit_of(Choice::cp));
  EXPECT_EQ(with([](auto& c) { c.schedule = training::ScheduleId(1); }), bit_of(Choice::schedule));
  EXPECT_EQ(with([](auto& c) { c.schedule = training::ScheduleId(1), c.degrees.pipeline = 1; }),
            bit_of(Choice::schedule) | bit_of(Choice::pp))
      << "without a pipeline";
  EXPECT_EQ(with([](auto& c) { c.overlap.tensor = true; }), bit_of(Choice::overlap_tp));
  EXPECT_EQ(with([](auto& c) { c.recipe.offload_optimizer = true; }), bit_of(Choice::offload_optimizer));
  EXPECT_EQ(std::popcount(static_cast<std::uint32_t>(
                with([](auto& c) { c.overlap.tensor = true, c.batch.micro_samples = 3; }))),
            2);
}

TEST(Practice, AFrameworkIsTriedByRunsOfAnyThatBuildsOnTheSameOne) {
  Catalog catalog = small_catalog();
  for (const char* name : {"of one", "of that"}) catalog.frameworks.emplace_back().name = name;
  catalog.frameworks[2].base = "one", catalog.frameworks[3].base = "of one";
  const auto is_tried = [&catalog](const Practice& practice, std::int32_t framework, std::int32_t gpu) {
    training::TrainingConfig config = config_on(gpu);
    config.framework = training::FrameworkId(framework);
    return is_framework_tried(practice, config, catalog);
  };
  for (const std::int32_t ran : {0, 2, 3}) {
    training::TrainingConfig config = config_on(0);
    config.framework = training::FrameworkId(ran);
    Practice practice;
    add_run(practice, config, catalog, 0.5, "somebody");
    for (const std::int32_t gpu : {0, 2})
      for (std::int32_t i = 0; i < 4; ++i) EXPECT_EQ(is_tried(practice, i, gpu), i != 1) << ran << ' ' << i;
  }
  EXPECT_TRUE(is_tried({}, 1, 0)) << "of nothing nothing is known";
}

TEST(Practice, MoreRunsLeaveNoMoreUntried) {
  const Catalog catalog = small_catalog();
  Practice practice = one_run(catalog);
  training::TrainingConfig other = config_on(0);
  other.batch.micro_samples = 3, other.framework = training::FrameworkId(1);
  Practice more;
  add_run(more, other, catalog, 0.6, "others");
  EXPECT_NE(untried(practice, other, catalog), 0);
  add_runs(practice, more);
  EXPECT_EQ(untried(practice, other, catalog), 0);
  EXPECT_EQ(untried(practice, config_on(0), catalog), 0);
}

TEST(Practice, TheBestIsThatOfTheSameKindFormatAndModel) {
  const Catalog catalog = small_catalog();
  Practice practice = one_run(catalog, 0.5);
  add_run(practice, config_on(1), catalog, 0.6, "better");
  add_run(practice, config_on(0), catalog, 0.4, "worse");
  ASSERT_NE(best_published(practice, config_on(0), catalog), nullptr);
  EXPECT_EQ(best_published(practice, config_on(0), catalog)->mfu, 0.6);
  EXPECT_EQ(best_published(practice, config_on(0), catalog)->publication, "better");
  EXPECT_EQ(best_published(practice, config_on(2), catalog), nullptr);
  training::TrainingConfig narrow = config_on(0), mixture = config_on(0);
  narrow.precision = machine::Precision::fp8, mixture.model = training::ModelId(1);
  EXPECT_EQ(best_published(practice, narrow, catalog), nullptr);
  EXPECT_EQ(best_published(practice, mixture, catalog), nullptr);
}

}  // namespace
}  // namespace echo::simulate
