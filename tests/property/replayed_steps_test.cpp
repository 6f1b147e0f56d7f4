// A generated step, written as a trace and replayed, takes as long as it did: two ways to the same time that
// share prices and nothing else.
#include <gtest/gtest.h>

#include <algorithm>

#include "simulate/replay/replay_shape.hpp"
#include "simulate/replay/replay_step.hpp"
#include "simulate/unfold/recorded_step.hpp"
#include "simulate/unfold/step_timeline.hpp"
#include "tests/support/random_config.hpp"
#include "tests/support/sanitized.hpp"

namespace echo::simulate {
namespace {

constexpr std::uint64_t seeds = support::is_sanitized ? 60 : 400;

// Of ops the host issues nothing is said in a generated trace, and sharded backwards are composed apart.
Catalog without_hosts() {
  Catalog catalog = support::presets().catalog;
  for (training::FrameworkSpec& framework : catalog.frameworks)
    framework.host_per_kernel = framework.host_per_peer = framework.host_per_step = framework.host_per_slice =
        framework.host_per_expert = SimTime::zero();
  return catalog;
}

// Replayed over generated, of random configs, ascending.
std::vector<double> ratios(const Calibration& calibration, std::int32_t& exact) {
  const Catalog base = without_hosts();
  std::vector<double> found;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    training::TrainingConfig config = support::random_config(seed);
    config.zero = std::min(config.zero, training::ZeroStage::optimizer);
    if (pipeline_tasks(config, base) > 4000) continue;
    Workspace generated, replayed;
    const StepTimeline step = unfold_step(config, base, calibration, generated);
    if (step.report.status != training::Status::ok) continue;
    Catalog catalog = base;
    catalog.traces.push_back(generate_trace(step, config, base, generated.step).trace);
    catalog.models.push_back({.name = "traced", .trace = training::TraceId(0)});
    config.model = training::ModelId(static_cast<std::int32_t>(catalog.models.size()) - 1);
    config.degrees = shape_of(catalog.traces[0]).degrees;
    const StepReport report = replay_step(config, catalog, calibration, replayed);
    EXPECT_EQ(report.status, training::Status::ok) << "seed " << seed;
    exact += report.step == step.report.step;
    found.push_back(to_seconds(report.step) / to_seconds(step.report.step));
  }
  std::sort(found.begin(), found.end());
  return found;
}

TEST(ReplayedSteps, TakeWhatTheyTookWhenGenerated) {
  Calibration calibration = support::presets().calibration;
  calibration.slowdown = slowdown::NoSlowdown{}, calibration.contention = Contention::off;
  std::int32_t exact = 0;
  const std::vector<double> found = ratios(calibration, exact);
  ASSERT_GT(found.size(), seeds / 3);
  EXPECT_GT(exact,
            static_cast<std::int32_t>(seeds / 4));  // to the picosecond; 137 of 216 when this was written
  EXPECT_GT(found.front(),
            0.95);  // a pair of embedding ranks in one node that the generator takes to be in two
  EXPECT_LT(found.back(), 1.02);
}

// A chunk is composed of blocks, each with its own overlap; the trace overlaps across their borders.
TEST(ReplayedSteps, AreSlowedAlike) {
  std::int32_t exact = 0;
  const std::vector<double> found = ratios(support::presets().calibration, exact);
  EXPECT_NEAR(found[found.size() / 2], 1.0, 0.005);
  if (!support::is_sanitized) {  // of a few draws the 95th percentile is the largest
    EXPECT_LT(found[found.size() * 95 / 100], 1.03);
  }
}

}  // namespace
}  // namespace echo::simulate
