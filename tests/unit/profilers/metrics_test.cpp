#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "profilers/overlap/metric_config.hpp"
#include "profilers/overlap/metric_names.hpp"
#include "profilers/overlap/metric_text.hpp"
#include "profilers/overlap/occupancy.hpp"
#include "tests/support/sanitized.hpp"

namespace echo::profilers {
namespace {

constexpr MetricValues some{50000.0, 91.5, 40.0, 35.25, 12.4, 0.5, 71.0, 1e6, 2.5e5, 1e5, 3e5};

TEST(Metrics, BecomeSharesOfOne) {
  const slowdown::KernelMetrics m = metrics_of(some);
  EXPECT_DOUBLE_EQ(m.compute_throughput, 0.915);
  EXPECT_DOUBLE_EQ(m.memory_throughput, 0.4);
  EXPECT_DOUBLE_EQ(m.dram_throughput, 0.3525);
  EXPECT_DOUBLE_EQ(m.achieved_occupancy, 0.124);
  EXPECT_DOUBLE_EQ(m.l1_hit_rate, 0.005);
  EXPECT_DOUBLE_EQ(m.l2_hit_rate, 0.71);
  EXPECT_DOUBLE_EQ(m.tensor_share, 0.25);
  EXPECT_DOUBLE_EQ(m.fma_share, 0.1);
  EXPECT_DOUBLE_EQ(m.memory_share, 0.3);
}

TEST(Metrics, StayWithinASharesBoundsAndKeepWhatIsMissing) {
  MetricValues values = some;
  values[1] = 100.3;  // passes of a replay differ
  values[5] = std::numeric_limits<double>::quiet_NaN();
  const slowdown::KernelMetrics m = metrics_of(values);
  EXPECT_EQ(m.compute_throughput, 1.0);
  EXPECT_TRUE(std::isnan(m.l1_hit_rate));
}

// CUPTI loads its host library by itself (RTLD_DEEPBIND), which ends a sanitized process.
#ifndef ECHO_SANITIZED
TEST(MetricConfig, PlansTheSameMetricsOnEveryChipWithoutAGpu) {
  for (const char* chip : {"GA100", "GH100", "GB100"}) {
    const MetricConfig config(chip);
    EXPECT_FALSE(config.image().empty()) << chip;
    EXPECT_GE(config.passes(), 2u) << chip;
    EXPECT_LE(config.passes(), 40u) << chip;
  }
}

TEST(MetricConfig, RefusesAChipThatCuptiDoesNotKnow) { EXPECT_THROW(MetricConfig("ZZ999"), UserError); }
#endif

TEST(MetricText, IsReadBackValueForValue) {
  const std::string text =
      metric_line(0, some) + "a library says hello\n" + metric_line(7, some) + done_line();
  const CollectedMetrics read = read_metric_text(text, "");
  ASSERT_EQ(read.of_kernel.size(), 2u);
  EXPECT_EQ(read.of_kernel.at(7), some);
  EXPECT_EQ(read.failure, "");
}

TEST(MetricText, KeepsNotANumber) {
  MetricValues values = some;
  values[3] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(read_metric_text(metric_line(1, values), "").of_kernel.at(1)[3]));
}

TEST(MetricText, SaysWhyThereIsNoMore) {
  EXPECT_EQ(read_metric_text(metric_line(0, some) + failure_line("no\nrights"), "exit status 1").failure,
            "no rights");
  EXPECT_EQ(read_metric_text(metric_line(0, some), "killed by signal 9").failure, "killed by signal 9");
}

TEST(MetricText, PassesOverWhatIsNoWholeLine) {
  const std::string line = metric_line(3, some);
  for (std::size_t length = 0; length < line.size(); ++length)
    EXPECT_TRUE(read_metric_text(line.substr(0, length), "").of_kernel.empty()) << length;
  EXPECT_TRUE(
      read_metric_text("metrics 1 2\nmetrics x\nmetrics -1 1 1 1 1 1 1 1 1 1 1 1\n", "").of_kernel.empty());
  EXPECT_TRUE(read_metric_text(line.substr(0, line.size() - 1) + " 5\n", "").of_kernel.empty());
}

// An H100's SM, as cudaDeviceProp says it.
constexpr SmLimits h100{.major = 9,
                        .minor = 0,
                        .threads_per_block = 1024,
                        .threads = 2048,
                        .registers_per_block = 65536,
                        .registers = 65536,
                        .shared_per_block = 49152,
                        .shared_per_block_optin = 232448,
                        .shared = 233472,
                        .shared_reserved = 1024};

TEST(Occupancy, IsBoundByThreadsRegistersOrSharedMemory) {
  EXPECT_DOUBLE_EQ(
      maximum_occupancy({.blocks = 1, .threads = 256, .registers = 32, .shared_memory = 0}, h100), 1.0);
  // 168 registers by 384 threads fill the registers once.
  EXPECT_DOUBLE_EQ(
      maximum_occupancy({.blocks = 1, .threads = 384, .registers = 168, .shared_memory = 0}, h100),
      384.0 / 2048);
  // 200 KiB of 228.
  EXPECT_DOUBLE_EQ(
      maximum_occupancy({.blocks = 1, .threads = 128, .registers = 32, .shared_memory = 200 * 1024}, h100),
      128.0 / 2048);
  // The proxy: 512 threads of 80 registers, 96 KiB; registers leave room for one.
  EXPECT_DOUBLE_EQ(
      maximum_occupancy({.blocks = 1, .threads = 512, .registers = 80, .shared_memory = 96 * 1024}, h100),
      512.0 / 2048);
}

TEST(Occupancy, IsNotMeasuredOnAGpuTheCalculatorDoesNotKnow) {
  EXPECT_TRUE(std::isnan(maximum_occupancy({.blocks = 1, .threads = 128, .registers = 32}, {})));
}

}  // namespace
}  // namespace echo::profilers
