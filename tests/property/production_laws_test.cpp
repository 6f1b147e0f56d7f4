// Laws of steps of production runs.
#include <gtest/gtest.h>

#include "base/at.hpp"
#include "simulate/report/production.hpp"
#include "simulate/simulate.hpp"
#include "tests/support/random_config.hpp"

namespace echo::simulate {
namespace {

using support::catalog_with_roomy_gpus;
using support::presets;
using support::random_config;
using training::Status;

Calibration production() {
  Calibration calibration = presets().calibration;
  calibration.setting = Setting::production;
  return calibration;
}

SimTime sum_of(const std::array<SimTime, time_category_count>& parts) {
  SimTime sum{};
  for (const SimTime one : parts) sum += one;
  return sum;
}

TEST(ProductionLaws, NoConfigIsFasterInProductionOrSurer) {
  const Catalog catalog = catalog_with_roomy_gpus();
  const Calibration in_production = production();
  Workspace ws;
  int composed = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const auto config = random_config(seed);
    const StepReport alone = simulate(config, catalog, presets().calibration, ws);
    const StepReport run = simulate(config, catalog, in_production, ws);
    ASSERT_EQ(alone.status, run.status) << "seed " << seed;
    if (alone.status != Status::ok) continue;
    ++composed;
    ASSERT_GT(run.step, alone.step) << "seed " << seed;
    ASSERT_GT(run.rel_error_p90, 0.08F) << "seed " << seed;
    ASSERT_LT(run.mfu, alone.mfu) << "seed " << seed;
    ASSERT_EQ(sum_of(run.exposed), run.step) << "seed " << seed;
    ASSERT_EQ(sum_of(run.path), run.step) << "seed " << seed;
    ASSERT_EQ(run.memory_peak, alone.memory_peak) << "seed " << seed;
  }
  EXPECT_GT(composed, 100);
}

// Mean and drawn percentiles tell of the same jobs: the mean waits for the slowest of all GPUs at once, which
// is no less than what draws find, and draws find the most of it.
TEST(ProductionLaws, DrawnStepsAgreeWithTheMean) {
  const Catalog catalog = catalog_with_roomy_gpus();
  Calibration in_production = production();
  constexpr double sigma = 0.03;
  in_production.production.gpu_spread.value = sigma;
  in_production.production.contained_gpus = 1.0;  // nothing is contained: the whole wait is compared
  Workspace ws;
  int composed = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto config = random_config(seed);
    const StepReport alone = simulate(config, catalog, presets().calibration, ws);
    const StepReport run = simulate(config, catalog, in_production, ws, 0, {sigma, 40, 5});
    if (alone.status != Status::ok) continue;
    ++composed;
    ASSERT_LE(run.step_median, run.step_p90) << "seed " << seed;
    ASSERT_GT(run.step_median, alone.step) << "seed " << seed;
    const double mean = to_seconds(run.step), drawn = to_seconds(run.step_median);
    ASSERT_LT(drawn, 1.02 * mean) << "seed " << seed;
    const double added = mean - to_seconds(alone.step);
    ASSERT_GT(drawn - to_seconds(alone.step), 0.25 * added) << "seed " << seed;
  }
  EXPECT_GT(composed, 60);
}

}  // namespace
}  // namespace echo::simulate
