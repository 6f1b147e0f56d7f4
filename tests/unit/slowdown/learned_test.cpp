#include "slowdown/learned.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/contract.hpp"
#include "slowdown/rate_kept.hpp"
#include "tests/support/sample_learned.hpp"

namespace echo::slowdown {
namespace {

using testing::a100_machine;
using testing::Draws;
using testing::sample_collective;
using testing::sample_kernel;
using testing::sample_metric_model;
using testing::sample_simulator_model;

// Trees that say `residual` whatever they are told.
RateModel constant(float residual, Range seen) { return {Forest{.base = residual}, seen}; }

LearnedModel on_contention(float residual, Range seen) {
  LearnedModel model{.name = "constant", .base = Base::contention, .kernel = constant(residual, seen)};
  model.ranges.assign(simulator_feature_count, {-10.0, 30.0});
  return model;
}

const ops::KernelPrice gemm{
    .alone = SimTime(50'000'000), .sm_share = 1.0, .memory_share = 0.2, .compute_bound = 1.0};
const ops::CollectiveEstimate beside{
    .time = SimTime(90'000'000), .channels = 27, .memory_rate = 1e9};  // keeps 3/4

TEST(Learned, WithNothingLearnedIsItsBase) {
  const LearnedModel model = on_contention(1.0F, {0.2, 1.0});
  for (std::uint64_t key = 0; key < 200; ++key) {
    Draws draws(key);
    const auto kernel = sample_kernel(draws);
    auto collective = sample_collective(draws);
    collective.channels += 1;
    const Factors white_box = contend({}, kernel, collective, a100_machine);
    const Factors learned = predict(model, kernel, collective, a100_machine);
    EXPECT_NEAR(learned.kernel, white_box.kernel, 1e-12);
    EXPECT_EQ(learned.collective, white_box.collective);
  }
}

TEST(Learned, ResidualMultipliesTheRateKept) {
  EXPECT_NEAR(predict(on_contention(2.0F / 3.0F, {0.2, 1.0}), gemm, beside, a100_machine).kernel, 2.0, 1e-6);
}

TEST(Learned, StaysInsideWhatTrainingSawOrTheBaseSays) {
  EXPECT_NEAR(predict(on_contention(0.1F, {0.5, 1.0}), gemm, beside, a100_machine).kernel, 2.0, 1e-12);
  EXPECT_NEAR(predict(on_contention(0.1F, {0.9, 1.0}), gemm, beside, a100_machine).kernel, 4.0 / 3.0, 1e-12);
  EXPECT_EQ(predict(on_contention(2.0F, {0.5, 1.2}), gemm, beside, a100_machine).kernel, 1.0);
}

TEST(Learned, FactorsAreFiniteAndAtLeastOne) {
  for (std::uint64_t key = 0; key < 200; ++key) {
    const LearnedModel model = sample_simulator_model(key);
    Draws draws(500 + key);
    for (std::int32_t pair = 0; pair < 50; ++pair) {
      const Factors factors = predict(model, sample_kernel(draws), sample_collective(draws), a100_machine);
      ASSERT_TRUE(std::isfinite(factors.kernel) && std::isfinite(factors.collective)) << key;
      ASSERT_TRUE(factors.kernel >= 1.0 && factors.collective >= 1.0) << key;
    }
  }
}

TEST(Learned, BesideACopyEngineTheWhiteBoxHasTheSay) {
  const LearnedModel model = on_contention(0.5F, {0.2, 1.0});
  const ops::CollectiveEstimate copy{.channels = 0, .memory_rate = 1e12};
  EXPECT_EQ(predict(model, gemm, copy, a100_machine), contend(model.contention, gemm, copy, a100_machine));
  EXPECT_EQ(predict(model, gemm, {.channels = 0}, a100_machine), Factors{});
}

TEST(Learned, InputsAreHeldToWhatTrainingSaw) {
  LearnedModel model = on_contention(1.0F, {0.2, 1.0});
  model.ranges[0] = {3.0, 5.0};  // kernels of 8 to 32 us
  model.kernel.residual =
      Forest{.nodes = {{2.0F, 0, 1, 2, true}, {0.8F}, {5.5F, 0, 3, 4, true}, {1.0F}, {0.6F}}, .roots = {0}};
  for (const std::int64_t picoseconds : {1'000, 10'000'000, 900'000'000}) {
    auto kernel = gemm;
    kernel.alone = SimTime(picoseconds);
    EXPECT_NEAR(predict(model, kernel, beside, a100_machine).kernel, 4.0 / 3.0, 1e-12);
  }
}

TEST(Held, IsUnknownWhereTrainingSawNothing) {
  EXPECT_TRUE(std::isnan(held(0.5, Range{})));
  EXPECT_TRUE(std::isnan(held(std::nan(""), {0.0, 1.0})));
  EXPECT_EQ(held(-3.0, {0.0, 1.0}), 0.0);
  EXPECT_EQ(held(3.0, {0.0, 1.0}), 1.0);
  EXPECT_EQ(held(0.3, {0.0, 1.0}), 0.3);
}

// Any residual that does not rise with a demand gives factors that do not fall with it.
TEST(KeptOf, RisesWithBaseAndResidual) {
  for (std::uint64_t key = 0; key < 5000; ++key) {
    Draws draws(key);
    const double base = draws.between(0.01, 1.0), residual = draws.between(-1.0, 1.0);
    const double low = draws.between(0.01, 0.9);
    const Range seen{low, low + draws.between(0.0, 0.5)};
    const double before = kept_of(base, residual, seen);
    ASSERT_GT(before, 0.0);
    const double better = base + draws.between(0.0, 0.2), more = residual + draws.between(0.0, 0.2);
    ASSERT_GE(kept_of(better, residual, seen), before) << key;
    ASSERT_GE(kept_of(base, more, seen), before) << key;
    ASSERT_GE(kept_of(better, more, seen), before) << key;
  }
}

OverlapRow row_of(const std::string& kernel, const std::string& full_name, double alone) {
  OverlapRow row;
  row.kernel = kernel;
  row.full_name = full_name;
  row.alone = alone;
  return row;
}

TEST(Families, TheFinestThatIsKnownCounts) {
  LearnedModel model = sample_metric_model(1);
  model.kernel = constant(1.0F, {0.1, 1.1});
  EXPECT_EQ(kept_rate(model, row_of("gemm", "gemm<float>", 40e-6)), 0.6);  // octave 5
  EXPECT_EQ(kept_rate(model, row_of("gemm", "gemm<float>", 70e-6)), 0.7);
  EXPECT_EQ(kept_rate(model, row_of("gemm", "gemm<half>", 40e-6)), 0.8);
  EXPECT_EQ(kept_rate(model, row_of("softmax", "softmax<half>", 40e-6)), 0.9);
}

TEST(Families, SizesAreOfMicroseconds) {
  EXPECT_EQ(size_of(1e-6, 1), 0);
  EXPECT_EQ(size_of(33e-6, 1), 5);
  EXPECT_EQ(size_of(3e-6, 2), 3);
  EXPECT_EQ(size_of(0.4e-6, 1), -2);
  EXPECT_EQ(size_of(0.0, 1), size_of(1e-15, 1));
}

TEST(Learned, FeatureSetsNeverMix) {
  EXPECT_THROW(static_cast<void>(kept_rate(sample_simulator_model(1), {})), ContractViolation);
  EXPECT_THROW(static_cast<void>(predict(sample_metric_model(1), gemm, beside, a100_machine)),
               ContractViolation);
}

TEST(IsSoundModel, RefusesWhatCannotBeUsed) {
  const auto refuses = [](LearnedModel model, auto change) {
    ASSERT_TRUE(is_sound(model));
    change(model);
    EXPECT_FALSE(is_sound(model));
  };
  const LearnedModel simulator = on_contention(1.1F, {0.2, 1.0}), metric = sample_metric_model(1);
  refuses(simulator, [](LearnedModel& m) { m.ranges.pop_back(); });
  refuses(simulator, [](LearnedModel& m) { m.ranges[0].low = std::nan(""); });
  refuses(simulator, [](LearnedModel& m) { m.kernel.seen.low = 0.0; });
  refuses(simulator, [](LearnedModel& m) { m.kernel.seen.high = 0.1; });
  refuses(simulator, [](LearnedModel& m) { m.contention.sustained_memory = 0.0; });
  refuses(simulator, [](LearnedModel& m) { m.features = FeatureSet::metrics; });
  refuses(simulator, [](LearnedModel& m) { m.features = static_cast<FeatureSet>(7); });
  refuses(simulator, [](LearnedModel& m) { m.base = static_cast<Base>(7); });
  refuses(simulator, [](LearnedModel& m) { m.base = Base::families; });
  refuses(simulator, [](LearnedModel& m) { m.kernel.residual = Mlp{}; });
  refuses(simulator, [](LearnedModel& m) { m.collective = RateModel{Mlp{}, {0.5, 1.0}}; });
  refuses(simulator, [](LearnedModel& m) { m.evidence.errors = {{"x", "y", std::nan(""), 0.0}}; });
  refuses(metric, [](LearnedModel& m) { m.families.rates.erase(m.families.rates.begin()); });
  refuses(metric, [](LearnedModel& m) { std::swap(m.families.rates[1], m.families.rates[2]); });
  refuses(metric, [](LearnedModel& m) { m.families.rates.push_back(m.families.rates.back()); });
  refuses(metric, [](LearnedModel& m) { m.families.rates[1].kept = 0.0; });
  refuses(metric, [](LearnedModel& m) { m.families.sizes_per_octave = 0; });
  refuses(metric, [](LearnedModel& m) { m.base = Base::contention; });
  refuses(metric, [](LearnedModel& m) { m.collective = constant(1.0F, {0.5, 1.0}); });
}

}  // namespace
}  // namespace echo::slowdown
