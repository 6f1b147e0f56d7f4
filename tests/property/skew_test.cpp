// Laws of steps drawn for unequal GPUs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "simulate/step/draw_steps.hpp"
#include "tests/support/random_config.hpp"

namespace echo::simulate {
namespace {

using support::presets;
using support::random_config;
using training::Status;

TEST(Skew, OfNoSpreadIsTheStepAndMoreSpreadIsNoFaster) {
  const Catalog catalog = support::catalog_with_quick_hosts();
  Workspace ws;
  int composed = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto drawn = [&](double sigma) {
      return simulate(random_config(seed), catalog, presets().calibration, ws, 0, {sigma, 10, 7});
    };
    const StepReport none = drawn(0.0), some = drawn(0.02), more = drawn(0.04);
    if (none.status != Status::ok) continue;
    ++composed;
    ASSERT_EQ(none.step_median, none.step) << "seed " << seed;
    ASSERT_EQ(none.step_p90, simulate(random_config(seed), catalog, presets().calibration, ws).step_p90)
        << "seed " << seed;  // that of the error alone
    ASSERT_NEAR(to_seconds(none.step_p90) / to_seconds(none.step), std::exp(none.rel_error_p90), 1e-6);
    ASSERT_LE(some.step_median, some.step_p90) << "seed " << seed;
    ASSERT_LE(none.step, some.step_p90) << "seed " << seed;
    ASSERT_LE(some.step_p90, more.step_p90) << "seed " << seed;
    ASSERT_EQ(none.step, some.step) << "seed " << seed;  // the step itself is of equal GPUs
    ASSERT_EQ(none.path, some.path) << "seed " << seed;
  }
  EXPECT_GT(composed, 60);
}

TEST(Skew, DoesNotDependOnWhatWasDrawnBefore) {
  const Catalog catalog = support::catalog_with_quick_hosts();
  Workspace reused;
  const Skew skew{0.02, 5, 11};
  for (std::uint64_t seed = 0; seed < 200; seed += 3) {
    Workspace fresh;
    const StepReport a = simulate(random_config(seed), catalog, presets().calibration, reused, 0, skew);
    const StepReport b = simulate(random_config(seed), catalog, presets().calibration, fresh, 0, skew);
    ASSERT_EQ(a.step_median, b.step_median) << "seed " << seed;
    ASSERT_EQ(a.step_p90, b.step_p90) << "seed " << seed;
  }
}

// The slow twin of the bound in draw_steps.cpp: every pipeline of one draw composed, at first-order paces.
SimTime slowest_of_all_pipelines(const training::TrainingConfig& config, const Catalog& catalog,
                                 const Skew& skew, const SimulatedStep& step) {
  const StepInput input = input_of(config, catalog, step);
  const ComposedStep& composed = step.composed;
  PassTimes passes = composed.passes;
  timeline::PipelineScratch scratch;
  timeline::PipelineTimes times_of_stages;
  const auto arithmetic = [&](const Cost& pass, std::span<const workload::BlockRun> runs) {
    double sum = pass.wait_bottleneck[Bottleneck::arithmetic];
    for (const workload::BlockRun& run : runs)
      sum += run.count * composed.paths[at(run.block)].makespan.bottleneck[Bottleneck::arithmetic];
    return sum;
  };
  const auto backward_of = [&](const ChunkCost& cost) -> const Cost& {
    const bool split = step.work.backwards == workload::Backward::split;
    return cost[split ? PassKind::input_gradients : PassKind::backward];
  };
  const auto block = [&](BlockId id) -> const timeline::BlockPaths& { return composed.paths[at(id)]; };
  const std::int32_t stages = config.degrees.pipeline, set = ranks_in_step(config, step.layout);
  const std::int32_t pipelines = training::gpus_of(config.degrees) / stages / set;
  SimTime slowest{};
  for (std::int32_t pipeline = 0; pipeline < pipelines; ++pipeline) {
    for (std::size_t i = 0; i < composed.chunks.size(); ++i) {
      const auto chunk = static_cast<std::int32_t>(i);
      const std::int32_t first = (step.layout.stage_of_chunk[i] * pipelines + pipeline) * set;
      double pace = 0.0;
      for (std::int32_t gpu = first; gpu < first + set; ++gpu) pace = std::max(pace, pace_of(skew, 0, gpu));
      const auto paced = [&](SimTime time, double work) {
        return time + SimTime(std::llround((pace - 1.0) * work));
      };
      const ChunkCost& cost = composed.chunks[i];
      const Cost &forward = cost[PassKind::forward], &last = cost[PassKind::last_backward];
      const double backward = arithmetic(backward_of(cost), step.work.backward.row(chunk));
      const double weights =
          arithmetic(cost[PassKind::weight_gradients], step.work.weight_gradients.row(chunk));
      timeline::ChunkTimes& times = passes.chunks[i];
      times.forward = paced(forward.time, arithmetic(forward, step.work.forward.row(chunk)));
      times.backward_input = times.whole_backward = paced(backward_of(cost).time, backward);
      times.backward_weight = paced(cost[PassKind::weight_gradients].time, weights);
      times.last_backward = paced(last.time, backward + weights);
      times.gathered = composed.gathers[i].gathered;
      passes.data[i] = cost.data;
      if (const BlockId closing = step.work.last_backward[i]; !closing.is_none()) {
        const double own = block(closing).makespan.bottleneck[Bottleneck::arithmetic];
        times.last_backward = paced(last.time, own + last.wait_bottleneck[Bottleneck::arithmetic]);
        passes.data[i].first_start =
            paced(cost.data.first_start, block(closing).data.start.bottleneck[Bottleneck::arithmetic]);
      }
      times.first_forward = times.forward;
      if (const BlockId opening = step.work.first_forward[i]; !opening.is_none()) {
        const double own = block(opening).makespan.bottleneck[Bottleneck::arithmetic];
        if (step.work.gathers_once) {
          const double wait = cost[PassKind::first_forward].wait_bottleneck[Bottleneck::arithmetic];
          times.first_forward = paced(cost[PassKind::first_forward].time, own + wait);
        } else {
          times.gathered = paced(composed.gathers[i].gathered, own);
        }
      }
    }
    slowest = std::max(slowest, step_of(input, passes, scratch, times_of_stages));
  }
  return slowest;
}

TEST(Skew, LeavesOutOnlyPipelinesThatAreNotTheSlowest) {
  const Catalog catalog = support::catalog_with_quick_hosts();
  Workspace ws;
  int several = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    training::TrainingConfig config = random_config(seed);
    config.recipe.overlap_ep = false;  // pairs have times of their own
    config.degrees.data *= 4;
    config.batch.global_samples *= 4;
    const Skew skew{0.03, 1, seed};
    const StepReport r = simulate(config, catalog, presets().calibration, ws, 0, skew);
    if (r.status != Status::ok) continue;
    const SimTime all = slowest_of_all_pipelines(config, catalog, skew, ws.step);
    // A pipeline may be left out whose step is as long but for rounded passes.
    ASSERT_NEAR(to_microseconds(r.step_median), to_microseconds(all), 1e-2) << "seed " << seed;
    several +=
        training::gpus_of(config.degrees) / config.degrees.pipeline > ranks_in_step(config, ws.step.layout);
  }
  EXPECT_GT(several, 50);
}

}  // namespace
}  // namespace echo::simulate
