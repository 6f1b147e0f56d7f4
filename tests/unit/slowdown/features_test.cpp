#include "slowdown/features.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "base/contract.hpp"
#include "tests/support/sample_learned.hpp"

namespace echo::slowdown {
namespace {

using testing::a100_machine;
using testing::Draws;
using testing::sample_collective;
using testing::sample_kernel;
using SimulatorFeatures = std::array<double, simulator_feature_count>;

SimulatorFeatures of(const ops::KernelPrice& kernel, const ops::CollectiveEstimate& collective) {
  SimulatorFeatures out{};
  simulator_features(kernel, collective, a100_machine, out);
  return out;
}

double feature(const SimulatorFeatures& features, std::string_view name) {
  const auto names = feature_names(FeatureSet::simulator);
  return features[static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin())];
}

TEST(Features, HaveNamesAndSignsEach) {
  for (const FeatureSet set : {FeatureSet::metrics, FeatureSet::simulator}) {
    const auto names = feature_names(set);
    EXPECT_EQ(std::set<std::string_view>(names.begin(), names.end()).size(), names.size());
    EXPECT_EQ(monotone_signs(set).size(), names.size());
  }
  EXPECT_EQ(metric_features({}).size(), metric_feature_count);
}

TEST(SimulatorFeatures, OfAPairWorkedOutByHand) {
  const auto features =
      of({.alone = SimTime(64'000'000), .sm_share = 0.9, .memory_share = 0.5, .compute_bound = 0.5},
         {.time = SimTime(2'000'000), .channels = 27, .memory_rate = 2.039e12 * 0.6});
  EXPECT_DOUBLE_EQ(feature(features, "log2_kernel_time"), 6.0);
  EXPECT_DOUBLE_EQ(feature(features, "log2_collective_time"), 1.0);
  EXPECT_DOUBLE_EQ(feature(features, "channel_share"), 0.25);
  EXPECT_DOUBLE_EQ(feature(features, "sm_demand"), 1.15);
  EXPECT_DOUBLE_EQ(feature(features, "memory_demand"), 1.1);
  EXPECT_DOUBLE_EQ(feature(features, "sm_stretch"), 0.5 * (0.9 * 108.0 / 81.0 - 1.0));
  EXPECT_NEAR(feature(features, "memory_stretch"), 1.1 / 0.9 - 1.0, 1e-12);
}

TEST(SimulatorFeatures, AreFiniteForAnyPair) {
  for (const auto& kernel : {ops::KernelPrice{}, ops::KernelPrice{.sm_share = 7.0, .memory_share = -1.0}})
    for (const auto& collective :
         {ops::CollectiveEstimate{}, ops::CollectiveEstimate{.channels = 5000, .memory_rate = 1e20}})
      for (const double value : of(kernel, collective)) EXPECT_TRUE(std::isfinite(value));
}

// What monotone constraints rest on: features that a demand moves are bound, and it moves them up.
TEST(SimulatorFeatures, OnlyBoundOnesMoveWithADemandAndTheyRise) {
  const auto signs = monotone_signs(FeatureSet::simulator);
  for (std::uint64_t key = 0; key < 2000; ++key) {
    Draws draws(key);
    const auto kernel = sample_kernel(draws);
    const auto collective = sample_collective(draws);
    auto wider = collective, hungrier = collective;
    wider.channels += 1 + draws.below(20);
    hungrier.memory_rate += draws.between(0.0, 1e12);
    auto fuller = kernel, busier = kernel;
    fuller.sm_share += draws.unit() * (1.0 - fuller.sm_share);
    busier.memory_share += draws.unit() * (1.0 - busier.memory_share);
    const SimulatorFeatures before = of(kernel, collective);
    for (const SimulatorFeatures& after :
         {of(kernel, wider), of(kernel, hungrier), of(fuller, collective), of(busier, collective)})
      for (std::size_t i = 0; i < before.size(); ++i) {
        ASSERT_GE(after[i], before[i]) << key << ' ' << i;
        if (signs[i] == 0) {
          ASSERT_EQ(after[i], before[i]) << key << ' ' << i;
        }
      }
  }
}

TEST(SimulatorFeatures, RefuseAMachineWithoutSms) {
  SimulatorFeatures out{};
  EXPECT_THROW(simulator_features({}, {}, Machine{}, out), ContractViolation);
  EXPECT_THROW(simulator_features({}, {}, a100_machine, std::span(out).first(3)), ContractViolation);
}

TEST(MetricFeatures, AreUnknownWhereTheTableIsSilent) {
  OverlapRow row;
  row.alone = 8e-6;
  const std::vector<double> features = metric_features(row);
  EXPECT_DOUBLE_EQ(features.front(), 3.0);
  EXPECT_EQ(std::count_if(features.begin(), features.end(), [](double value) { return std::isnan(value); }),
            static_cast<std::ptrdiff_t>(metric_feature_count) - 1);
}

TEST(MetricFeatures, TellNoChannelsFromUnknownOnes) {
  const auto names = feature_names(FeatureSet::metrics);
  const auto at = static_cast<std::size_t>(std::find(names.begin(), names.end(), "channels") - names.begin());
  OverlapRow row;
  row.beside.made_by = CommunicationKind::copy_engine;
  EXPECT_EQ(metric_features(row)[at], 0.0);
  row.beside = {.made_by = CommunicationKind::proxy, .channels = 16};
  EXPECT_EQ(metric_features(row)[at], 16.0);
}

}  // namespace
}  // namespace echo::slowdown
