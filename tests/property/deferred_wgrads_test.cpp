// Weight gradients of the output layer that the last stage puts off.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/at.hpp"
#include "simulate/simulate.hpp"
#include "simulate/step/stage_memory.hpp"
#include "tests/support/random_config.hpp"

namespace echo::simulate {
namespace {

using training::TrainingConfig;

// Llama 3 70B on 32 H100, its 80 layers evenly on the stages: the last one, with the output layer, is behind.
TrainingConfig llama(std::int32_t virtual_stages, std::int32_t microbatches, std::int32_t deferred) {
  const Catalog& catalog = support::presets().catalog;
  TrainingConfig c;
  c.model = training::ModelId(support::named(catalog.models, "llama3-70b"));
  c.cluster = machine::ClusterId(support::named(catalog.clusters, "dgx-h100-ndr400"));
  c.framework = training::FrameworkId(support::named(catalog.frameworks, "nemo"));
  c.recipe = catalog.framework(c).recipe;
  c.degrees = {.tensor = 4, .pipeline = 4, .data = 2, .virtual_stages = virtual_stages};
  c.schedule = training::ScheduleId(
      find_named(timeline::schedule_table(), virtual_stages > 1 ? "interleaved" : "1f1b"));
  c.batch = {.global_samples = 2 * microbatches, .micro_samples = 1, .sequence_tokens = 8192};
  c.sequence_parallel = c.flash_attention = true;
  c.overlap.grad_reduce = true;
  c.zero = training::ZeroStage::optimizer;
  c.recipe.deferred_wgrads = deferred;
  return c;
}

const Catalog& roomy() {
  static const Catalog catalog = support::catalog_without_hosts();
  return catalog;
}

const StepReport& run(const TrainingConfig& c, Workspace& workspace) {
  static StepReport report;
  report = simulate(c, roomy(), support::presets().calibration, workspace);
  EXPECT_EQ(report.status, training::Status::ok);
  return report;
}

TEST(DeferredWgrads, ShortenStepsThatWaitForTheLastStageAndDoTheSameWork) {
  for (const std::int32_t virtual_stages : {1, 5}) {
    Workspace one, other;
    const StepReport whole = run(llama(virtual_stages, 32, 0), one);
    SimTime before = whole.step;
    for (const std::int32_t deferred : {2, 8}) {
      const StepReport put_off = run(llama(virtual_stages, 32, deferred), other);
      EXPECT_LT(put_off.step, before) << deferred;
      before = put_off.step;
      const auto& all = one.step.composed.pipeline.stages;
      const auto& now = other.step.composed.pipeline.stages;
      for (std::size_t stage = 0; stage + 1 < all.size(); ++stage)
        EXPECT_EQ(now[stage].busy, all[stage].busy) << stage;
      // The rest may wait for the gather of its inputs, which else hides behind input gradients.
      EXPECT_GE(now.back().busy, all.back().busy);
      EXPECT_LT(to_seconds(now.back().busy), 1.01 * to_seconds(all.back().busy));
    }
  }
}

TEST(DeferredWgrads, AreOfAllMicrobatchesButTheLastAtMost) {
  for (const std::int32_t microbatches : {4, 8}) {
    Workspace one, other;
    const StepReport most = run(llama(1, microbatches, microbatches - 1), one);
    EXPECT_EQ(run(llama(1, microbatches, 1000), other).step, most.step);
    EXPECT_EQ(one.step.composed.pipeline.apart.back(), microbatches - 1);
    EXPECT_EQ(std::ranges::count(one.step.composed.pipeline.apart, 0), 3);
  }
}

TEST(DeferredWgrads, KeepGradientsOfLogitsOnTheLastStage) {
  const auto use = [](std::int32_t deferred, std::int32_t stage) {
    const TrainingConfig c = llama(1, 32, deferred);
    Workspace workspace;
    run(c, workspace);
    return memory_of_stage(c, roomy(), workspace.step.layout, stage).total().value;
  };
  EXPECT_EQ(use(0, 0), use(8, 0));
  const double logits = 8192.0 * 128256 / 4 * 2, inputs = 8192.0 * 8192 / 4 * 2;
  EXPECT_GE(static_cast<double>(use(8, 3) - use(0, 3)), 8 * (logits + inputs));
}

// Every task once, in the order of the schedule as it is, but for weight gradients of the last chunk, which
// come last.
TEST(DeferredWgrads, FollowAllElseOfTheLastStage) {
  for (const char* name : {"1f1b", "interleaved"}) {
    const timeline::Schedule& plain =
        *timeline::schedule_table()[at(find_named(timeline::schedule_table(), name))];
    const std::int32_t stages = 4, chunks = plain.interleaves ? 8 : 4, microbatches = 12, deferred = 5;
    std::vector<std::int32_t> stage_of(at(chunks));
    plain.place(stages, chunks, stage_of);
    timeline::PipelineShape shape{.stages = stages, .chunks = chunks, .microbatches = microbatches};
    shape.stage_of_chunk = stage_of;
    Csr<timeline::Task> whole, put_off;
    timeline::order_of(plain, shape, {}, whole);
    shape.deferred = deferred;
    timeline::order_of(timeline::deferring(plain), shape, {}, put_off);
    for (std::int32_t stage = 0; stage < stages; ++stage) {
      std::vector<timeline::Task> expected(whole.row(stage).begin(), whole.row(stage).end());
      for (timeline::Task& task : expected)
        if (task.kind == timeline::TaskKind::backward && task.chunk.index() == chunks - 1 &&
            task.microbatch.index() < deferred)
          task.kind = timeline::TaskKind::backward_input;
      for (std::int32_t i = 0; stage == stages - 1 && i < deferred; ++i)
        expected.push_back(timeline::task_of(timeline::TaskKind::backward_weight, chunks - 1, i));
      EXPECT_TRUE(std::ranges::equal(put_off.row(stage), expected)) << name << " " << stage;
    }
  }
}

TEST(DeferredWgrads, AreRefusedWhereAScheduleHasNone) {
  TrainingConfig c = llama(1, 32, 8);
  c.schedule = training::ScheduleId(find_named(timeline::schedule_table(), "gpipe"));
  EXPECT_STREQ(why_unsupported(c, roomy()).text, "this schedule puts off no weight gradients");
  c.recipe.deferred_wgrads = 0;
  EXPECT_FALSE(why_unsupported(c, roomy()));
}

}  // namespace
}  // namespace echo::simulate
