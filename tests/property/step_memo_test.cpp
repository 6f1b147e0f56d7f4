// What a workspace keeps from config to config (prices, priced work, composed blocks, programs of pipelines)
// changes no report: whatever was simulated before, and in whatever order.
#include <gtest/gtest.h>

#include <algorithm>

#include "simulate/simulate.hpp"
#include "tests/support/random_config.hpp"

namespace echo::simulate {
namespace {

using training::TrainingConfig;

// What the body of a step does not look at, where no pass shards weights or gradients.
void change_end(TrainingConfig& c, support::Draws& draws) {
  c.zero = draws.one_of({training::ZeroStage::none, training::ZeroStage::optimizer, c.zero});
  c.overlap.grad_reduce = draws.coin();
  c.recipe.offload_optimizer = c.zero >= training::ZeroStage::optimizer && draws.coin();
}

// Configs that share most axes, as the points of a sweep do: each follows from an earlier one by one axis.
std::vector<TrainingConfig> neighbours(std::uint64_t seed) {
  support::Draws draws(seed + 9'000'000);
  std::vector<TrainingConfig> out{support::random_config(seed)};
  const TrainingConfig other = support::random_config(seed + 1'000'000);
  for (int i = 0; i < 8; ++i) {
    TrainingConfig next = out[at(draws.below(length_of(out)))];
    const training::AxisInfo& info = training::axis_table[at(support::any_of(draws, training::axis_table))];
    const training::AxisMember& member = training::member_of(info.axis);
    if (member.set != nullptr) member.set(next, member.get(other));
    if (draws.coin()) next.overlap.pipeline = !next.overlap.pipeline;  // what priced work does not look at
    if (draws.coin())
      next.batch.global_samples *= draws.one_of({2, 3});  // nor at this, of several microbatches
    if (draws.coin()) change_end(next, draws);
    out.push_back(next);
  }
  return out;
}

TEST(StepMemo, ChangesNoReportOfAnyConfig) {
  const Catalog& catalog = support::presets().catalog;
  const Calibration& calibration = support::presets().calibration;
  Workspace kept, crowded;
  crowded.memo.most_kernels = crowded.memo.most_collectives = 40;  // of one config's
  std::int64_t ok = 0;
  std::vector<TrainingConfig> seen;
  std::vector<StepReport> reports;
  for (std::uint64_t seed = 0; seed < 250; ++seed) {
    for (const TrainingConfig& c : neighbours(seed)) {
      Workspace fresh;
      reports.push_back(simulate(c, catalog, calibration, fresh));
      seen.push_back(c);
      ASSERT_EQ(simulate(c, catalog, calibration, kept), reports.back()) << "seed " << seed;
      ASSERT_EQ(simulate(c, catalog, calibration, crowded), reports.back()) << "seed " << seed;
      ok += reports.back().status == training::Status::ok ? 1 : 0;
    }
  }
  EXPECT_GT(ok, 500);
  EXPECT_GT(kept.counts.of[at(Memo::priced_work)].known, 100);
  EXPECT_GT(kept.counts.of[at(Memo::blocks)].known, 100);
  EXPECT_GT(kept.counts.of[at(Memo::pipelines)].known, 50);

  EXPECT_LT(crowded.memo.kernels.size(), kept.memo.kernels.size() / 4);
  EXPECT_GT(crowded.memo.kernels_numbered, kept.memo.kernels_numbered);

  // In another order: far neighbours follow each other.
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const std::size_t j = i * 1009 % seen.size();
    ASSERT_EQ(simulate(seen[j], catalog, calibration, kept), reports[j]) << "config " << j;
  }
}

}  // namespace
}  // namespace echo::simulate
