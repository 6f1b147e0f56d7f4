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

TEST(CriticalPath, SumsToTheStepByPartAndByDriver) {
  const Catalog catalog = catalog_with_roomy_gpus();
  Workspace ws;
  int composed = 0, below_zero = 0;
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    const StepReport r = simulate(random_config(seed), catalog, presets().calibration, ws);
    if (r.status != Status::ok) continue;
    ++composed;
    ASSERT_EQ(std::accumulate(r.path.begin(), r.path.end(), SimTime::zero()), r.step) << "seed " << seed;
    EXPECT_NEAR(std::accumulate(r.bottleneck.begin(), r.bottleneck.end(), 0.0), 1.0, 1e-12)
        << "seed " << seed;
    // Below zero only where something slower spares something else more: overlap then begins later, or two
    // collectives no longer meet. Rare either way.
    for (const double share : r.bottleneck) below_zero += share < -1e-3;
  }
  EXPECT_GT(composed, 500);
  EXPECT_LT(below_zero, composed / 100);
}

// Where something slows something else this is no law: a kernel that comes later may miss the collective that
// would have stretched it by a third (seed 423 once, by 8 %).
TEST(CriticalPath, DependsOnNothingThatWouldShortenItWhereNothingSlowsAnythingElse) {
  const Catalog catalog = support::catalog_with_quick_hosts();
  Calibration calibration = presets().calibration;
  calibration.contention = Contention::off;
  Workspace ws;
  int composed = 0, below_zero = 0;
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    calibration.slowdown = presets().calibration.slowdown;
    const StepReport slowed = simulate(random_config(seed), catalog, calibration, ws);
    if (slowed.status != Status::ok) continue;
    ++composed;
    for (const double share : slowed.bottleneck) below_zero += share < -1e-3;
    calibration.slowdown = slowdown::NoSlowdown{};
    const StepReport alone = simulate(random_config(seed), catalog, calibration, ws);
    for (const double share : alone.bottleneck) ASSERT_GE(share, -1e-3) << "seed " << seed;
  }
  EXPECT_LT(below_zero, composed / 200);
}

}  // namespace
}  // namespace echo::simulate
