// A point over its work budget is known before it is composed, by counting alone.
#include <gtest/gtest.h>

#include "simulate/simulate.hpp"
#include "tests/support/random_config.hpp"
#include "timeline/schedule.hpp"

namespace echo::simulate {
namespace {

// The tasks a schedule's order really holds.
std::int64_t tasks_in_order(const training::TrainingConfig& config) {
  const timeline::Schedule& schedule =
      *timeline::schedule_table()[static_cast<std::size_t>(config.schedule.index())];
  std::vector<std::int32_t> stage_of_chunk(static_cast<std::size_t>(training::chunks_of(config)));
  schedule.place(config.degrees.pipeline, training::chunks_of(config), stage_of_chunk);
  const timeline::PipelineShape shape{.stages = config.degrees.pipeline,
                                      .chunks = training::chunks_of(config),
                                      .microbatches = training::microbatches_of(config),
                                      .stage_of_chunk = stage_of_chunk};
  const std::vector<timeline::ChunkTimes> times(stage_of_chunk.size(),
                                                {SimTime(3), SimTime(2), SimTime(1), SimTime(0), SimTime(3)});
  Csr<timeline::Task> order;
  timeline::order_of(schedule, shape, times, order);
  std::int64_t tasks = 0;
  for (std::int32_t stage = 0; stage < shape.stages; ++stage) tasks += std::ssize(order.row(stage));
  return tasks;
}

TEST(WorkBudget, CountsTheTasksOfTheSchedule) {
  const Catalog catalog = support::catalog_with_roomy_gpus();
  Workspace ws;
  int counted = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const training::TrainingConfig config = support::random_config(seed);
    if (simulate(config, catalog, support::presets().calibration, ws).status != training::Status::ok)
      continue;
    ++counted;
    ASSERT_EQ(pipeline_tasks(config, support::presets().catalog), tasks_in_order(config)) << "seed " << seed;
  }
  EXPECT_GT(counted, 80);
}

TEST(WorkBudget, TurnsAPointWithOneTaskMoreIntoARow) {
  const Catalog catalog = support::catalog_with_roomy_gpus();
  Workspace ws;
  int judged = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const training::TrainingConfig config = support::random_config(seed);
    const auto with = [&](std::int64_t budget) {
      return simulate(config, catalog, support::presets().calibration, ws, budget);
    };
    const StepReport unbounded = with(0);
    if (unbounded.status != training::Status::ok) continue;
    ++judged;
    EXPECT_EQ(with(pipeline_tasks(config, support::presets().catalog)).step, unbounded.step)
        << "seed " << seed;
    const StepReport over = with(pipeline_tasks(config, support::presets().catalog) - 1);
    EXPECT_EQ(over.status, training::Status::over_budget) << "seed " << seed;
    EXPECT_EQ(over.reason, training::Reason::work_budget) << "seed " << seed;
    EXPECT_EQ(over.step, SimTime::zero()) << "seed " << seed;
    EXPECT_EQ(over.memory_peak, unbounded.memory_peak) << "seed " << seed;
  }
  EXPECT_GT(judged, 80);
}

}  // namespace
}  // namespace echo::simulate
