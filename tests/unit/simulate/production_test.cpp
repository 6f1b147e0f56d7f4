#include "simulate/report/production.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "base/at.hpp"
#include "simulate/report/error_bands.hpp"
#include "tests/support/random_step_errors.hpp"

namespace echo::simulate {
namespace {

constexpr std::uint64_t seed = 23, cases = 200;

constexpr ProductionModel some{.gpu_spread = {0.02, 0.01},
                               .contained_gpus = 64.0,
                               .slow_nodes = {0.005, 0.003},
                               .slow_node_loss = {0.014, 0.007},
                               .host_loss = {0.018, 0.018},
                               .temperature_loss = {0.0075, 0.005},
                               .checkpoint_loss = {0.004, 0.004},
                               .job_spread = 0.08};

// The step's parts are in one category each of exposed time and path.
StepReport benchmark(std::uint64_t key) {
  StepReport report = support::random_report(seed, key);
  report.exposed[at(TimeCategory::forward)] = report.path[at(TimeCategory::forward)] = report.step;
  report.step_no_contention = report.step;
  report.mfu = 0.4, report.tokens_per_second = 1e6, report.bubble_fraction = 0.1;
  report_errors({}, support::random_evidence(seed, key), report);
  return report;
}

StepReport produced(std::uint64_t key, const JobSize& job, const ProductionModel& model = some) {
  StepReport report = benchmark(key);
  add_production(model, job, ErrorModel{}.p90, {}, report);
  return report;
}

SimTime sum_of(const std::array<SimTime, time_category_count>& parts) {
  SimTime sum{};
  for (const SimTime one : parts) sum += one;
  return sum;
}

// The slow twin: the mean of the largest of n draws is the integral of the chance that it exceeds x, less
// that it is below -x.
double integrated_largest(double n) {
  const auto below = [](double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); };
  constexpr double step = 1e-4;
  double sum = 0.0;
  for (double x = 0.5 * step; x < 12.0; x += step)
    sum += step * (-std::expm1(n * std::log(below(x))) - std::pow(below(-x), n));
  return sum;
}

TEST(Production, ExpectsTheLargestOfManyDraws) {
  EXPECT_NEAR(expected_largest(1), 0.0, 1e-9);
  for (const double n : {2.0, 8.0, 64.0, 1024.0, 16384.0, 1e6})
    EXPECT_NEAR(expected_largest(n), integrated_largest(n), 0.03) << n;
}

TEST(Production, OfNoLossesIsTheBenchmark) {
  for (std::uint64_t i = 0; i < cases; ++i) {
    const StepReport before = benchmark(i), after = produced(i, {4096, 512}, {});
    ASSERT_EQ(after.step, before.step) << i;
    ASSERT_EQ(after.exposed, before.exposed) << i;
    ASSERT_NEAR(after.rel_error_p90, before.rel_error_p90, 1e-6F) << i;
    ASSERT_DOUBLE_EQ(after.mfu, before.mfu) << i;
  }
}

TEST(Production, KeepsSumsAndShares) {
  for (std::uint64_t i = 0; i < cases; ++i) {
    const StepReport before = benchmark(i), after = produced(i, {2048, 256});
    ASSERT_GT(after.step, before.step) << i;
    ASSERT_EQ(sum_of(after.exposed), after.step) << i;
    ASSERT_EQ(sum_of(after.path), after.step) << i;
    ASSERT_EQ(after.step - after.step_no_slowdown, before.step - before.step_no_slowdown) << i;
    double bottlenecks = 0.0;
    for (const double one : after.bottleneck) bottlenecks += one;
    ASSERT_NEAR(bottlenecks, 1.0, 1e-9) << i;
    ASSERT_NEAR(after.tokens_per_second * to_seconds(after.step), 1e6 * to_seconds(before.step), 1.0) << i;
  }
}

TEST(Production, StragglesMoreOnMoreGpusAndNodes) {
  for (std::uint64_t i = 0; i < cases; ++i) {
    const StepReport report = benchmark(i);
    SimTime last{};
    for (const std::int64_t nodes : {1, 8, 64, 512, 4096}) {
      const ProductionTime time = production_time(some, {8 * nodes, nodes}, report);
      ASSERT_GE(time.total(), last) << i;
      if (nodes <= 8) {
        ASSERT_EQ(time.part[at(ProductionPart::gpu_spread)], SimTime::zero()) << i;
      }
      last = time.total();
    }
  }
}

TEST(Production, WidensTheBand) {
  for (std::uint64_t i = 0; i < cases; ++i) {
    const StepReport before = benchmark(i), after = produced(i, {2048, 256});
    const double added = static_cast<double>(after.error[at(ErrorSource::production)]);
    ASSERT_GE(added, some.job_spread - 1e-6) << i;
    double sum = 0.0;
    for (const float one : after.error) sum += static_cast<double>(one) * static_cast<double>(one);
    ASSERT_NEAR(static_cast<double>(after.rel_error), std::sqrt(sum), 1e-6) << i;
    ASSERT_NEAR(static_cast<double>(after.rel_error_p90), ErrorModel{}.p90 * std::sqrt(sum), 1e-6) << i;
    ASSERT_EQ(before.error[at(ErrorSource::production)], 0.0F) << i;
  }
}

}  // namespace
}  // namespace echo::simulate
