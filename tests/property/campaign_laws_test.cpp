// Laws of cost and energy, over random configs.
#include <gtest/gtest.h>

#include <cmath>

#include "base/at.hpp"
#include "campaign/power.hpp"
#include "campaign/whole_training.hpp"
#include "simulate/simulate.hpp"
#include "tests/support/random_config.hpp"

namespace echo::campaign {
namespace {

using simulate::Catalog;
using simulate::StepReport;

// Every GPU and node has some power.
Catalog powered() {
  Catalog catalog = support::catalog_with_roomy_gpus();
  for (machine::GpuSpec& gpu : catalog.gpus)
    gpu.power = {.cap = 700.0, .idle = 110.0, .memory = 400.0, .link = 300.0};
  for (machine::ClusterSpec& cluster : catalog.clusters)
    cluster.power = {.host = 1400.0, .fans = 900.0, .supply_efficiency = 0.94};
  return catalog;
}

template <class Law>
void on_random_steps(const Catalog& catalog, Law law) {
  simulate::Workspace ws;
  int timed = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const auto config = support::random_config(seed);
    const StepReport report = simulate::simulate(config, catalog, support::presets().calibration, ws);
    if (report.status != training::Status::ok) continue;
    ++timed;
    SCOPED_TRACE(seed);
    law(config, report);
    if (::testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(timed, 100);
}

TEST(CampaignLaws, AGpuDrawsBetweenIdlingAndItsLimit) {
  const Catalog catalog = powered();
  on_random_steps(catalog, [&](const auto& config, const StepReport& report) {
    const machine::GpuPower& power = catalog.gpu(config).power;
    const double drawn = gpu_power(report, power);
    ASSERT_GE(drawn, power.idle);
    ASSERT_LE(drawn, power.cap);
  });
}

// The slow twin: the seconds of each state, one after the other, each at its power.
TEST(CampaignLaws, TheMeanIsTheSumOverItsStates) {
  const Catalog catalog = powered();
  on_random_steps(catalog, [&](const auto& config, const StepReport& report) {
    const machine::GpuPower& power = catalog.gpu(config).power;
    double links = 0.0;
    for (std::size_t i = at(TimeCategory::tp_comm); i <= at(TimeCategory::zero_comm); ++i)
      links += to_seconds(report.exposed[i]);
    const double step = to_seconds(report.step), arithmetic = report.kernels.arithmetic_ps * 1e-12;
    const double memory =
        report.kernels.memory_ps * 1e-12 + to_seconds(report.exposed[at(TimeCategory::slowdown)]);
    const double waiting = step - arithmetic - memory - links;
    ASSERT_GE(waiting, -1e-6 * step) << "no GPU does two things at once";
    const double joules =
        arithmetic * power.cap + memory * power.memory + links * power.link + waiting * power.idle;
    ASSERT_NEAR(gpu_power(report, power), joules / step, 1e-6 * power.cap);
  });
}

TEST(CampaignLaws, CostGrowsWithThePriceAndEnergyWithTheTokens) {
  const Catalog catalog = powered();
  Terms terms{.target_tokens = 1e12, .economics = {.currency = "USD", .gpu_hour = {{"", 2.0}}}};
  Terms dearer = terms, longer = terms;
  dearer.economics.gpu_hour[0].price = 6.0;
  longer.target_tokens = 3e12;
  on_random_steps(catalog, [&](const auto& config, const StepReport& report) {
    const PlannedTraining plan{config, report, catalog, terms}, dear{config, report, catalog, dearer},
        longest{config, report, catalog, longer};
    ASSERT_GT(cost(plan), 0.0);
    ASSERT_NEAR(cost(dear), 3.0 * cost(plan), 1e-9 * cost(dear));
    ASSERT_NEAR(cost(longest), 3.0 * cost(plan), 1e-9 * cost(longest));
    ASSERT_NEAR(energy(longest), 3.0 * energy(plan), 1e-9 * energy(longest));
    ASSERT_EQ(energy(dear), energy(plan));
    const double steps = train_time(plan) / to_seconds(report.step);
    ASSERT_NEAR(energy(plan), steps * energy_of_step(plan), 1e-9 * energy(plan));
    ASSERT_NEAR(tokens_per_cost(plan) * cost(plan), terms.target_tokens, 1e-3);
  });
}

}  // namespace
}  // namespace echo::campaign
