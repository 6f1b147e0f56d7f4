#include "profilers/kernels/measure_kernels.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace echo::profilers {
namespace {

std::vector<ops::KernelKey> norms(std::int32_t count) {
  std::vector<ops::KernelKey> keys;
  for (std::int32_t m = 1; m <= count; ++m)
    keys.push_back({.kind = ops::KernelKind::norm_forward, .m = 8 * m, .n = 1024});
  return keys;
}

// A GPU that takes a second per kernel by its own clock.
struct FakeGpu {
  double left = 1e9;
  std::vector<std::vector<std::int32_t>> saved;  // m of the kernels of each save
  std::function<bool(const ops::KernelKey&)> fails = [](const auto&) { return false; };

  MeasuringSteps steps() {
    return {.measure = [this](const ops::KernelKey& key) { return measure(key); },
            .seconds_left = [this] { return left; },
            .save =
                [this](std::span<const KernelRuns> runs) {
                  saved.emplace_back();
                  for (const KernelRuns& one : runs) saved.back().push_back(one.key.m);
                },
            .seconds_between_saves = 3.5};
  }
  std::vector<KernelRuns> measure(const ops::KernelKey& key) {
    left -= 1.0;
    if (fails(key)) throw UserError("it does not fit", "take less", 1);
    return {{"gpu", key, {}, {{.seconds = std::vector<double>(8, 1e-5)}}}};
  }
  [[nodiscard]] std::vector<std::int32_t> all_saved() const {
    std::vector<std::int32_t> all;
    for (const auto& some : saved) all.insert(all.end(), some.begin(), some.end());
    return all;
  }
};

TEST(Measuring, SavesAsItGoesOnAndEachKernelOnce) {
  FakeGpu gpu;
  const MeasuringOutcome outcome = measure_kernels(norms(10), gpu.steps());
  EXPECT_EQ(outcome.measured, 10);
  EXPECT_TRUE(outcome.is_complete());
  EXPECT_EQ(gpu.saved.size(), 3u);  // after four, four, and the rest
  EXPECT_EQ(gpu.all_saved(), (std::vector<std::int32_t>{8, 16, 24, 32, 40, 48, 56, 64, 72, 80}));
}

TEST(Measuring, StopsWhenTimeIsUpAndSaysWhatIsLeft) {
  FakeGpu gpu;
  gpu.left = 6.0;
  const MeasuringOutcome outcome = measure_kernels(norms(10), gpu.steps());
  EXPECT_EQ(outcome.measured, 6);
  EXPECT_EQ(outcome.not_reached, 4);
  EXPECT_FALSE(outcome.is_complete() || outcome.gave_up);
  EXPECT_EQ(gpu.all_saved().size(), 6u);
}

TEST(Measuring, GoesOnWithoutKernelsThatFail) {
  FakeGpu gpu;
  gpu.fails = [](const ops::KernelKey& key) { return key.m % 16 == 0; };
  const MeasuringOutcome outcome = measure_kernels(norms(200), gpu.steps());
  EXPECT_EQ(outcome.measured, 100);
  EXPECT_EQ(outcome.failed.at("it does not fit"), 100);
  EXPECT_TRUE(outcome.is_complete());
}

TEST(Measuring, GivesUpAGpuThatFailsEverythingButKeepsWhatItHas) {
  FakeGpu gpu;
  gpu.fails = [](const ops::KernelKey& key) { return key.m > 16; };
  const MeasuringOutcome outcome = measure_kernels(norms(500), gpu.steps());
  EXPECT_TRUE(outcome.gave_up);
  EXPECT_EQ(outcome.measured, 2);
  EXPECT_GT(outcome.not_reached, 400);
  EXPECT_EQ(gpu.all_saved().size(), 2u);
}

TEST(Measuring, CountsAKernelWithoutARowAsFailed) {
  FakeGpu gpu;
  MeasuringSteps steps = gpu.steps();
  steps.measure = [](const ops::KernelKey& key) {
    return std::vector<KernelRuns>{{"gpu", key, {}, {{.seconds = {1e-5}}}}};
  };
  const MeasuringOutcome outcome = measure_kernels(norms(2), steps);
  EXPECT_EQ(outcome.measured, 0);
  EXPECT_EQ(outcome.failed.size(), 1u);
  EXPECT_TRUE(gpu.saved.empty());
}

}  // namespace
}  // namespace echo::profilers
