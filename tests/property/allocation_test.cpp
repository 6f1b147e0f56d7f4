// A warm simulate() allocates nothing: every buffer lives in the workspace.
#include <gtest/gtest.h>

#include "base/memory_limit.hpp"
#include "tests/support/learned_image.hpp"
#include "tests/support/random_config.hpp"
#include "tests/support/sample_learned.hpp"

namespace echo::simulate {
namespace {

void expect_no_allocations(const Calibration& calibration) {
  const Catalog catalog = support::catalog_with_roomy_gpus();
  Workspace ws;
  std::vector<training::TrainingConfig> configs;
  for (std::uint64_t seed = 0; seed < 300; ++seed) configs.push_back(support::random_config(seed));
  const auto run_all = [&] {
    for (const training::TrainingConfig& c : configs)
      static_cast<void>(simulate(c, catalog, calibration, ws));
  };
  const MemoryMeter cold;
  run_all();  // buffers grow, memos fill
  EXPECT_GT(cold.allocations(), 0);
  // The buffers of the last few points change places: each has to meet every config before all are large
  // enough.
  for (int round = 0; round < 12; ++round) run_all();
  const MemoryMeter meter;
  run_all();
  EXPECT_EQ(meter.allocations(), 0);
}

TEST(WarmSimulate, AllocatesNothing) { expect_no_allocations(support::presets().calibration); }

TEST(WarmSimulate, AllocatesNothingWithALearnedSlowdownModel) {
  for (const std::uint64_t key : {3, 4}) {  // of trees, of networks
    const testing::LearnedImage image(testing::sample_simulator_model(key));
    Calibration calibration = support::presets().calibration;
    calibration.learned = image.view();
    expect_no_allocations(calibration);
  }
}

}  // namespace
}  // namespace echo::simulate
