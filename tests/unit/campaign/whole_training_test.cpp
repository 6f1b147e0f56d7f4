// A training of 1 000 s on 16 GPUs in two nodes, worked out by hand.
#include "campaign/whole_training.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "campaign/power.hpp"
#include "tests/support/small_space.hpp"

namespace echo::campaign {
namespace {

class WholeTraining : public ::testing::Test {
 protected:
  WholeTraining() {
    catalog.gpus[0].power = {.cap = 400.0, .idle = 100.0, .memory = 300.0, .link = 200.0};
    catalog.clusters[0].power = {.host = 900.0, .fans = 100.0, .supply_efficiency = 0.8};
    config.model = training::ModelId(0);
    config.cluster = machine::ClusterId(0);
    config.degrees.data = 16;
    report.step = from_seconds(10.0);
    report.tokens_per_second = 1e6;
    report.kernels = {.arithmetic_ps = 5e12, .memory_ps = 2e12};
    report.exposed[at(TimeCategory::forward)] = from_seconds(8.0);
    report.exposed[at(TimeCategory::dp_comm)] = from_seconds(1.0);
    report.exposed[at(TimeCategory::idle)] = from_seconds(1.0);
    terms.target_tokens = 1e9;
  }
  [[nodiscard]] PlannedTraining plan() const { return {config, report, catalog, terms}; }

  simulate::Catalog catalog = support::small_catalog();
  training::TrainingConfig config;
  simulate::StepReport report;
  Terms terms;
  // idle 100 + 0.5 * 300 + 0.2 * 200 + 0.1 * 100
  static constexpr double gpu_watts = 300.0;
  static constexpr double job_watts = (16 * gpu_watts + 2 * 1000.0) / 0.8;
};

TEST_F(WholeTraining, TakesItsTokensOverTheirRate) {
  EXPECT_DOUBLE_EQ(train_time(plan()), 1000.0);
  EXPECT_DOUBLE_EQ(gpu_hours(plan()), 16 * 1000.0 / 3600.0);
}

TEST_F(WholeTraining, DrawsThePowerOfItsStates) {
  EXPECT_DOUBLE_EQ(gpu_power(report, catalog.gpus[0].power), gpu_watts);
  EXPECT_DOUBLE_EQ(job_power(config, report, catalog), job_watts);
  EXPECT_DOUBLE_EQ(energy_of_step(plan()), 10.0 * job_watts);
  EXPECT_DOUBLE_EQ(energy(plan()), 1000.0 * job_watts);
}

TEST_F(WholeTraining, CountsANodeThatItFillsInPartWhole) {
  config.degrees.data = 9;
  EXPECT_DOUBLE_EQ(job_power(config, report, catalog), (9 * gpu_watts + 2 * 1000.0) / 0.8);
}

TEST_F(WholeTraining, CostsItsGpuHoursAndWhatElectricityIsPricedApart) {
  terms.economics.gpu_hour = {{"", 2.0}};
  EXPECT_DOUBLE_EQ(cost(plan()), 2.0 * gpu_hours(plan()));
  EXPECT_DOUBLE_EQ(tokens_per_cost(plan()), 1e9 / cost(plan()));
  terms.economics.electricity_per_kwh = 0.1;
  terms.economics.pue = 1.5;
  EXPECT_DOUBLE_EQ(cost(plan()), 2.0 * gpu_hours(plan()) + energy(plan()) / 3.6e6 * 1.5 * 0.1);
  terms.economics.carbon_kg_per_kwh = 0.4;
  EXPECT_DOUBLE_EQ(carbon(plan()), energy(plan()) / 3.6e6 * 1.5 * 0.4);
}

TEST_F(WholeTraining, IsPricedByItsClusterBeforeItsGpuBeforeAll) {
  const std::string cluster = catalog.clusters[0].name, gpu = catalog.gpus[0].name;
  terms.economics.gpu_hour = {{"", 1.0}, {gpu, 2.0}, {cluster, 3.0}};
  EXPECT_EQ(find_price(terms.economics, cluster, gpu)->price, 3.0);
  EXPECT_EQ(find_price(terms.economics, "another", gpu)->price, 2.0);
  EXPECT_EQ(find_price(terms.economics, "another", "another")->price, 1.0);
}

TEST_F(WholeTraining, IsUnknownAndNot0WhereATermIs) {
  EXPECT_TRUE(std::isnan(cost(plan())));  // no price
  terms.economics.gpu_hour = {{"another-gpu", 2.0}};
  EXPECT_TRUE(std::isnan(cost(plan()))) << "a price of another GPU";
  EXPECT_TRUE(std::isnan(carbon(plan())));
  terms.economics.gpu_hour = {{"", 0.0}};
  EXPECT_EQ(cost(plan()), 0.0) << "machines of one's own are told to be free";
  EXPECT_TRUE(std::isnan(tokens_per_cost(plan())));
  terms.target_tokens = 0.0;
  for (const double value : {train_time(plan()), gpu_hours(plan()), cost(plan()), energy(plan())})
    EXPECT_TRUE(std::isnan(value));
  EXPECT_FALSE(std::isnan(energy_of_step(plan())));
}

TEST_F(WholeTraining, HasNoEnergyWhereAPowerIsUnknown) {
  terms.economics = {.currency = "USD", .gpu_hour = {{"", 2.0}}};
  catalog.clusters[0].power = {};
  EXPECT_TRUE(std::isnan(energy(plan())));
  EXPECT_FALSE(std::isnan(cost(plan()))) << "its price includes electricity";
  terms.economics.electricity_per_kwh = 0.1, terms.economics.pue = 1.2;
  EXPECT_TRUE(std::isnan(cost(plan())));
  catalog.clusters[0].power = {.host = 900.0, .fans = 0.0, .supply_efficiency = 0.9};
  EXPECT_FALSE(std::isnan(cost(plan())));
  catalog.gpus[0].power = {};
  EXPECT_TRUE(std::isnan(energy(plan())));
}

}  // namespace
}  // namespace echo::campaign
