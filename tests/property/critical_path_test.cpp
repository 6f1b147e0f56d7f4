// The critical path of random steps, and what the columns say it would gain.
#include <gtest/gtest.h>

#include <numeric>

#include "tests/support/random_config.hpp"

namespace echo::simulate {
namespace {

using support::catalog_with_roomy_gpus;
using support::presets;
using support::random_config;
using training::Status;

// As the catalog has them, but for the wait for memory under load.
Calibration without_load() {
  Calibration calibration = presets().calibration;
  std::get<slowdown::Contention>(calibration.slowdown).latency_under_load = 0.0;
  return calibration;
}

TEST(CriticalPath, SumsToTheStepByPartAndByDriver) {
  const Catalog catalog = catalog_with_roomy_gpus();
  const Calibration unloaded = without_load();
  Workspace ws;
  int composed = 0, below_zero = 0, below_zero_under_load = 0;
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    for (const bool load : {false, true}) {
      const StepReport r =
          simulate(random_config(seed), catalog, load ? presets().calibration : unloaded, ws);
      if (r.status != Status::ok) continue;
      composed += load ? 1 : 0;
      ASSERT_EQ(std::accumulate(r.path.begin(), r.path.end(), SimTime::zero()), r.step) << "seed " << seed;
      EXPECT_NEAR(std::accumulate(r.bottleneck.begin(), r.bottleneck.end(), 0.0), 1.0, 1e-12)
          << "seed " << seed;
      // Below zero only where something slower spares something else more: overlap then begins later, two
      // collectives no longer meet, or what a hidden collective moves is spread over kernels that mind it
      // less.
      for (const double share : r.bottleneck) (load ? below_zero_under_load : below_zero) += share < -1e-3;
    }
  }
  EXPECT_GT(composed, 500);
  EXPECT_LT(below_zero, composed / 100);
  EXPECT_LT(below_zero_under_load, composed / 50);
}

// Where something slows something else this is no law: a kernel that comes later may miss the collective that
// would have stretched it by a third (seed 423 once, by 8 %).
TEST(CriticalPath, DependsOnNothingThatWouldShortenItWhereNothingSlowsAnythingElse) {
  const Catalog catalog = support::catalog_with_quick_hosts();
  Calibration slows = without_load();
  slows.contention = Contention::off;
  Calibration free = slows;
  free.slowdown = slowdown::NoSlowdown{};
  Workspace ws, free_ws;  // each of one calibration
  int composed = 0, below_zero = 0;
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    const StepReport slowed = simulate(random_config(seed), catalog, slows, ws);
    if (slowed.status != Status::ok) continue;
    ++composed;
    for (const double share : slowed.bottleneck) below_zero += share < -1e-3;
    const StepReport alone = simulate(random_config(seed), catalog, free, free_ws);
    for (const double share : alone.bottleneck) ASSERT_GE(share, -1e-3) << "seed " << seed;
  }
  EXPECT_LT(below_zero, composed / 200);
}

}  // namespace
}  // namespace echo::simulate
