// DualPipe and DualPipeV as whole steps.
#include <gtest/gtest.h>

#include "base/at.hpp"
#include "simulate/step/compose_step.hpp"
#include "tests/support/random_config.hpp"
#include "training/layout/rank_parameters.hpp"

namespace echo::simulate {
namespace {

using training::TrainingConfig;

TrainingConfig with_schedule(TrainingConfig c, const char* name) {
  c.schedule = training::ScheduleId(find_named(timeline::schedule_table(), name));
  c.degrees.virtual_stages = std::string_view(name) == "dualpipev" ? 2 : 1;
  return c;
}

// A pipeline every one of the schedules runs: an even number of stages, two microbatches a stage or more.
TrainingConfig deep_config(std::uint64_t seed) {
  TrainingConfig c = support::random_config(seed);
  support::Draws draws(seed + 2'000'000);
  c.degrees.pipeline = draws.one_of({2, 4, 8});
  c.degrees.virtual_stages = 1;
  c.zero = std::min(c.zero, training::ZeroStage::optimizer);
  c.batch.global_samples =
      c.degrees.data * c.batch.micro_samples * c.degrees.pipeline * draws.one_of({2, 4, 6});
  return c;
}

TEST(DualPipe, HoldsEveryChunkOnTwoStagesAndSumsItsGradients) {
  const Catalog catalog = support::catalog_with_roomy_gpus();
  int seen = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const TrainingConfig plain = with_schedule(deep_config(seed), "1f1b"),
                         dual = with_schedule(plain, "dualpipe");
    TrainingConfig without_pairs = plain;
    without_pairs.recipe.overlap_ep = false;
    Workspace one, two;
    if (simulate(without_pairs, catalog, support::presets().calibration, one).status != training::Status::ok)
      continue;
    const StepReport report = simulate(dual, catalog, support::presets().calibration, two);
    ASSERT_EQ(report.status, training::Status::ok) << "seed " << seed << why_unsupported(dual, catalog).text;
    ++seen;
    const auto& model = catalog.model(plain.model);
    const auto& framework = catalog.framework(plain);
    const std::int32_t p = plain.degrees.pipeline;
    for (std::int32_t s = 0; s < p; ++s) {
      const auto held = [&](const Workspace& ws, std::int32_t stage) {
        return training::stage_parameters(plain, model, framework, ws.step.layout, stage).total();
      };
      ASSERT_EQ(held(two, s), held(one, s) + held(one, p - 1 - s)) << "seed " << seed << " stage " << s;
      const auto all_reduces = [&](const Workspace& ws) {
        std::int64_t bytes = 0;
        for (const workload::WorkRun& run : ws.step.work.tail.gradients.row(s)) {
          const std::size_t collective = at(run.work) - ws.step.work.kernels.size();
          const ops::CollectiveQuery& query = ws.step.work.collectives[collective];
          const bool mirrored = ws.step.layout.copies > 1 && query.group == ws.step.layout.mirrors[at(s)];
          if (mirrored && query.kind == ops::CollectiveKind::all_reduce) bytes += query.payload.value;
        }
        return bytes;
      };
      ASSERT_GT(all_reduces(two), 0) << "seed " << seed;
    }
  }
  EXPECT_GT(seen, 20);
}

// Half of the passes go the other way round, none is lost: every stage does as much as the two that hold its
// chunks did, half of it each.
TEST(DualPipe, DoesTheWorkOfAPlainPipeline) {
  const Catalog catalog = support::catalog_with_roomy_gpus();
  Calibration calibration = support::presets().calibration;
  calibration.slowdown = slowdown::NoSlowdown{};
  calibration.contention = Contention::off;
  int seen = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    TrainingConfig plain = with_schedule(deep_config(seed), "1f1b");
    plain.recipe.overlap_ep = false;
    plain.degrees.data = plain.degrees.context = plain.degrees.expert = plain.degrees.expert_tensor = 1;
    plain.degrees.tensor = 1;  // whole and split backwards hide transfers of their own unlike
    plain.sequence_parallel = false;
    plain.batch.global_samples = plain.batch.micro_samples * plain.degrees.pipeline * 4;
    Catalog roomy = catalog;
    for (training::FrameworkSpec& f : roomy.frameworks) f.host_per_kernel = SimTime::zero();
    Workspace one, two, v;
    if (simulate(plain, roomy, calibration, one).status != training::Status::ok) continue;
    const StepReport dual = simulate(with_schedule(plain, "dualpipe"), roomy, calibration, two);
    ASSERT_EQ(dual.status, training::Status::ok)
        << why_unsupported(with_schedule(plain, "dualpipe"), catalog).text;
    ++seen;
    const std::int32_t p = plain.degrees.pipeline;
    for (std::int32_t s = 0; s < p; ++s) {
      const auto busy = [&](const Workspace& ws, std::int32_t stage) {
        return ws.step.composed.pipeline.stages[at(stage)].busy;
      };
      ASSERT_EQ(2 * busy(two, s), busy(one, s) + busy(one, p - 1 - s)) << "seed " << seed << " stage " << s;
    }
    const StepReport bent = simulate(with_schedule(plain, "dualpipev"), roomy, calibration, v);
    if (bent.status != training::Status::ok) continue;
    SimTime all_one{}, all_v{};
    for (const auto& stage : one.step.composed.pipeline.stages) all_one += stage.busy;
    for (const auto& stage : v.step.composed.pipeline.stages) all_v += stage.busy;
    ASSERT_EQ(all_one, all_v) << "seed " << seed;
  }
  EXPECT_GT(seen, 20);
}

// Pairs hide all-to-alls, in any of the schedules that run them; where layers hide nothing of their own, to
// no loss. Without the host, whose lead ends with other passes.
TEST(DualPipe, IsNoSlowerWithItsAllToAllsHidden) {
  Catalog catalog = support::catalog_with_roomy_gpus();
  for (training::FrameworkSpec& f : catalog.frameworks)
    f.host_per_kernel = f.host_per_expert = SimTime::zero();
  Calibration calibration = support::presets().calibration;
  calibration.slowdown = slowdown::NoSlowdown{};
  calibration.contention = Contention::off;
  int shorter = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    TrainingConfig c = deep_config(seed);
    support::Draws draws(seed);
    support::mix_experts(c, draws);
    c.zero = std::min(c.zero, training::ZeroStage::optimizer);
    c.recipe.overlaps_shared_experts = false;
    c.degrees.context = c.degrees.tensor = c.degrees.expert_tensor = 1;
    c.sequence_parallel = false;
    for (const char* name : {"dualpipe", "dualpipev"}) {
      TrainingConfig hidden = with_schedule(c, name), shown = hidden;
      hidden.recipe.overlap_ep = true, shown.recipe.overlap_ep = false;
      Workspace ws;
      const StepReport after = simulate(hidden, catalog, calibration, ws);
      if (after.status != training::Status::ok) continue;
      const StepReport before = simulate(shown, catalog, calibration, ws);
      ASSERT_LE(after.step, before.step) << name << " seed " << seed;
      shorter += after.step < before.step;
    }
  }
  EXPECT_GT(shorter, 20);
}

}  // namespace
}  // namespace echo::simulate
