// The tail of a stage is that of its own weights, also where it is not worked out for every stage.
#include "workload/traffic/stages_alike.hpp"

#include <gtest/gtest.h>

#include "base/at.hpp"
#include "tests/support/fixtures.hpp"
#include "training/layout/rank_parameters.hpp"
#include "workload/generate_workload.hpp"

namespace echo::workload {
namespace {

using training::RankLayout;
using training::TrainingConfig;

std::int64_t updated_on(const Workload& work, StageId stage) {
  std::int64_t weights = 0;
  for (const WorkRun& run : work.tail.update.row(stage))
    if (run.is_kernel && work.kernels[at(run.work)].kind == ops::KernelKind::optimizer)
      weights += std::int64_t{work.kernels[at(run.work)].m} * work.kernels[at(run.work)].batch;
  return weights;
}

struct Split {
  std::int32_t stages, virtual_stages;
  std::vector<std::int32_t> layers;  // of the chunks; empty: equal ones
};

TEST(StagesAlike, EveryStageUpdatesTheWeightsThatItHolds) {
  const training::ModelSpec mixture = support::tiny_mixture(), dense = support::tiny_llama();
  const training::FrameworkSpec framework = support::plain_framework();
  for (const training::ModelSpec& model : {mixture, dense}) {
    for (const Split& split :
         {Split{1, 1, {}}, Split{4, 1, {}}, Split{8, 1, {}}, Split{2, 4, {}}, Split{4, 2, {}},
          Split{4, 1, {1, 3, 3, 1}}, Split{4, 1, {2, 1, 4, 1}}, Split{4, 2, {1, 1, 0, 2, 1, 0, 2, 1}}}) {
      TrainingConfig c =
          support::a_config({.pipeline = split.stages, .data = 2, .virtual_stages = split.virtual_stages});
      RankLayout layout;
      training::lay_out_ranks(c, model, support::eight_gpu_nodes(), split.layers, layout);
      Workload work;
      generate_workload(c, model, framework, support::eight_gpu_nodes(), layout, Backward::whole, work);
      ASSERT_EQ(work.tail.update.rows(), split.stages);
      for (const StageId stage : ids<StageId>(split.stages))
        EXPECT_EQ(updated_on(work, stage),
                  training::trained_stage_parameters(c, model, framework, layout, stage.index()).total())
            << model.name << ", " << split.stages << " x " << split.virtual_stages << ", stage "
            << stage.index();
    }
  }
}

TEST(StagesAlike, OnlyTheSameChunksInTheMiddleRepeat) {
  const training::ModelSpec model = support::tiny_llama();
  const TrainingConfig c = support::a_config({.pipeline = 4, .data = 2});
  const auto repeats = [&](const std::vector<std::int32_t>& layers, std::int32_t stage) {
    RankLayout layout;
    training::lay_out_ranks(c, model, support::eight_gpu_nodes(), layers, layout);
    StepTail tail;
    for (std::int32_t row = 0; row < stage; ++row)
      for (Csr<WorkRun>* runs : {&tail.gradients, &tail.grad_norm, &tail.update})
        runs->push({.work = WorkId(row)}), runs->close_row();
    const bool is_like = repeats_stage_before(layout, stage, tail);
    EXPECT_EQ(tail.update.rows(), stage + (is_like ? 1 : 0));
    if (is_like) {
      EXPECT_EQ(tail.update.row(stage).front().work, WorkId(stage - 1));
    }
    return is_like;
  };
  EXPECT_TRUE(repeats({}, 2));
  EXPECT_TRUE(repeats({1, 3, 3, 1}, 2));
  EXPECT_FALSE(repeats({2, 1, 4, 1}, 2)) << "other layers";
  EXPECT_FALSE(repeats({}, 0));
  EXPECT_FALSE(repeats({}, 1)) << "the stage before holds the embedding";
  EXPECT_FALSE(repeats({}, 3)) << "it holds the head";
}

}  // namespace
}  // namespace echo::workload
