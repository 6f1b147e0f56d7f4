// Laws of sharded weights and gradients over seeded random configs; slowdown off, host out of the way.
#include <gtest/gtest.h>

#include "base/at.hpp"
#include "tests/support/data_traffic.hpp"
#include "tests/support/random_config.hpp"

namespace echo::simulate {
namespace {

using training::TrainingConfig;
using training::ZeroStage;

class ShardingLaws : public ::testing::Test {
 protected:
  Catalog catalog_ = support::catalog_with_roomy_gpus();
  Calibration known_ = support::presets().calibration;
  Workspace ws_;

  ShardingLaws() {
    known_.slowdown = slowdown::NoSlowdown{};
    known_.contention = Contention::off;
    for (training::FrameworkSpec& f : catalog_.frameworks) f.host_per_kernel = SimTime::zero();
  }

  // Calls each(config) for feasible random configs with copies, their states sharded to `zero`.
  template <class Each>
  int for_each(ZeroStage zero, Each each) {
    int feasible = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
      TrainingConfig c = support::random_config(seed);
      c.zero = zero;
      if (c.degrees.data * c.degrees.context == 1 || step(c) == SimTime::zero()) continue;
      ++feasible;
      SCOPED_TRACE(seed);
      each(c);
    }
    return feasible;
  }
  // Zero where the config is infeasible.
  SimTime step(const TrainingConfig& c) {
    const StepReport report = simulate(c, catalog_, known_, ws_);
    return report.status == training::Status::ok ? report.step : SimTime::zero();
  }
  SimTime with(TrainingConfig c, std::int32_t prefetch, bool reshard, bool no_sync) {
    c.recipe.fsdp_prefetch = prefetch, c.recipe.fsdp_reshard = reshard, c.recipe.no_sync = no_sync;
    return step(c);
  }
};

TEST_F(ShardingLaws, MorePrefetchIsNeverSlower) {
  int gained = 0;
  EXPECT_GT(for_each(ZeroStage::parameters,
                     [&](const TrainingConfig& c) {
                       SimTime before = with(c, 0, true, false);
                       for (const std::int32_t ahead : {1, 2, 5, 64}) {
                         const SimTime now = with(c, ahead, true, false);
                         EXPECT_LE(now, before) << ahead;
                         gained += now < before;
                         before = now;
                       }
                     }),
            60);
  EXPECT_GT(gained, 60);
}

TEST_F(ShardingLaws, WithoutPrefetchNoGatherRunsBesideComputation) {
  for_each(ZeroStage::parameters, [&](const TrainingConfig& c) {
    ASSERT_GT(with(c, 0, true, false), SimTime::zero());
    for (std::size_t chunk = 0; chunk < ws_.step.work.whole_forward.size(); ++chunk) {
      const workload::OpGraph& block = ws_.step.work.blocks[at(ws_.step.work.whole_forward[chunk])];
      // Only the root, which comes first, may run beside anything: nothing stands before the layers of an
      // inner chunk.
      SimTime sum{};
      for (std::int32_t op = 0; op < block.size(); ++op) {
        const Lane lane = block.lane[at(op)];
        if (lane == Lane::compute || lane == Lane::data) sum += ws_.step.prices.alone[at(block.work[at(op)])];
      }
      const SimTime alone = ws_.step.composed.times[at(ws_.step.work.whole_forward[chunk])].makespan;
      const bool first = chunk == 0, last = chunk + 1 == ws_.step.work.whole_forward.size();
      if (first || !last) {
        EXPECT_GE(alone, sum);  // waits for other lanes come on top
      }
    }
  });
}

TEST_F(ShardingLaws, KeepingWeightsOrWaitingWithGradientsSendsNoMore) {
  for_each(ZeroStage::parameters, [&](const TrainingConfig& c) {
    const std::int64_t n = training::microbatches_of(c);
    const auto bytes = [&](bool reshard, bool no_sync) {
      EXPECT_GT(with(c, 1, reshard, no_sync), SimTime::zero());
      std::int64_t sum = 0;
      for (const std::int64_t of : support::bytes_per_step(ws_.step.work, n).of) sum += of;
      return sum;
    };
    const std::int64_t all = bytes(true, false), kept = bytes(false, false), waited = bytes(true, true),
                       once = bytes(false, true);
    EXPECT_LT(kept, all);
    EXPECT_LE(once, std::min(kept, waited));
    EXPECT_EQ(n == 1, waited == all);
    EXPECT_EQ(n == 1, once == kept);
  });
}

TEST_F(ShardingLaws, NoSyncWithOneMicrobatchIsSync) {
  for (const ZeroStage zero : {ZeroStage::gradients, ZeroStage::parameters}) {
    int compared = 0;
    for_each(zero, [&](TrainingConfig c) {
      if (c.degrees.virtual_stages > 1) return;  // interleaving wants as many microbatches as stages
      c.batch.global_samples = c.degrees.data * c.batch.micro_samples;
      const SimTime sync = with(c, 1, true, false);
      if (sync == SimTime::zero()) return;
      ++compared;
      EXPECT_EQ(with(c, 1, true, true), sync);
      EXPECT_EQ(with(c, 1, false, true), with(c, 1, false, false));
    });
    EXPECT_GT(compared, 30);
  }
}

TEST_F(ShardingLaws, KeepingWeightsFromForwardToBackwardIsNeverSlower) {
  for_each(ZeroStage::parameters,
           [&](const TrainingConfig& c) { EXPECT_LE(with(c, 1, false, false), with(c, 1, true, false)); });
}

// A step cannot be shorter than its gathers and scatters take on their one lane.
TEST_F(ShardingLaws, TheDataLaneIsALowerBound) {
  for (const ZeroStage zero : {ZeroStage::gradients, ZeroStage::parameters})
    for_each(zero, [&](const TrainingConfig& c) {
      if (c.degrees.pipeline > 1) return;
      const SimTime whole = step(c);
      const std::int64_t n = training::microbatches_of(c);
      SimTime busy{};
      const auto add = [&](BlockId block, std::int64_t count) {
        if (!block.is_none()) busy += count * ws_.step.composed.times[at(block)].busy[at(Lane::data)];
      };
      add(ws_.step.work.whole_forward.front(), n);
      add(ws_.step.work.whole_backward.front(), n);
      EXPECT_GE(whole, busy);
    });
}

}  // namespace
}  // namespace echo::simulate
