#include "sweep/space/sampling.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/error.hpp"
#include "sweep/space/design_space.hpp"
#include "sweep/space/survivor_ranks.hpp"
#include "tests/support/large_space.hpp"
#include "tests/support/sanitized.hpp"

namespace echo::sweep {
namespace {

const simulate::Catalog& catalog() {
  static const simulate::Catalog made = support::large_catalog();
  return made;
}
SweepSpec sampled(SweepSpec spec, Strategy strategy, std::int64_t points) {
  spec.search = {strategy, points};
  return spec;
}
SweepSpec small() {
  using support::numbers;
  return support::small_sweep({numbers(Axis::tp, {1, 2, 4}), numbers(Axis::pp, {1, 2}),
                               numbers(Axis::vpp, {1, 2}), numbers(Axis::micro_batch, {1, 2, 4})},
                              {support::keep("not-all", "tp * micro_batch <= 8")});
}
// small_sweep() names presets of the small catalog.
const simulate::Catalog& small_presets() {
  static const simulate::Catalog made = support::small_catalog();
  return made;
}

TEST(Sampling, RandomPointsAreDistinctPointsOfTheSpace) {
  const auto spec = small();
  const DesignSpace whole(spec, small_presets());
  for (const std::int64_t n : {std::int64_t{1}, std::int64_t{7}, whole.size()}) {
    const DesignSpace space(sampled(spec, Strategy::random, n), small_presets());
    ASSERT_EQ(space.size(), n);
    for (PointIndex i = 0; i < n; ++i) {
      EXPECT_GE(whole.find_raw(space.raw_index(i)), 0);
      if (i == 0) continue;
      EXPECT_LT(space.raw_index(i - 1), space.raw_index(i));
    }
  }
  EXPECT_THROW(DesignSpace(sampled(spec, Strategy::random, whole.size() + 1), small_presets()), UserError);
  EXPECT_THROW(DesignSpace(sampled(spec, Strategy::random, 0), small_presets()), UserError);
}

TEST(Sampling, EveryPointIsAsLikely) {  // chi-squared over 1 000 seeds
  if (support::is_sanitized) GTEST_SKIP() << support::statistics;
  SweepSpec spec = sampled(small(), Strategy::random, 5);
  const RawSpace space(spec, small_presets());
  const std::int64_t points = DesignSpace(small(), small_presets()).size();
  std::map<std::int64_t, int> hits;
  constexpr int seeds = 1000;
  for (int seed = 0; seed < seeds; ++seed) {
    spec.seed = static_cast<std::uint64_t>(seed);
    for (const std::int64_t raw : sample_points(spec, space)) ++hits[raw];
  }
  ASSERT_EQ(static_cast<std::int64_t>(hits.size()), points);
  const double expected = 5.0 * seeds / static_cast<double>(points);
  double chi_squared = 0.0;
  for (const auto& [raw, count] : hits) chi_squared += (count - expected) * (count - expected) / expected;
  const auto freedom = static_cast<double>(points - 1);
  EXPECT_LT(chi_squared, freedom + 4.0 * std::sqrt(2.0 * freedom));
}

TEST(Sampling, SpacesTooLargeToListAreSampledByRank) {
  const SweepSpec spec = sampled(support::trillion_sweep(), Strategy::random, 500);
  const DesignSpace space(spec, catalog());
  ASSERT_EQ(space.size(), 500);
  // Halves of an axis no rule reads are met alike: 500 draws, four standard deviations.
  int flash = 0;
  for (PointIndex i = 0; i < 500; ++i) flash += space.at(i).flash_attention ? 1 : 0;
  EXPECT_NEAR(flash, 250, 45);
  EXPECT_EQ(sample_points(spec, RawSpace(spec, catalog())), sample_points(spec, RawSpace(spec, catalog())));
}

TEST(Sampling, PartsOfASampleAreTheSample) {
  const SweepSpec spec = sampled(small(), Strategy::random, 9);
  const DesignSpace whole(spec, small_presets());
  std::vector<SpaceIndex> parts;
  for (int part = 0; part < 4; ++part) parts.push_back(index_part(spec, whole.raw_space(), part, 4));
  const DesignSpace joined(spec, small_presets(), join_parts(parts));
  ASSERT_EQ(joined.size(), 9);
  for (PointIndex i = 0; i < 9; ++i) EXPECT_EQ(joined.raw_index(i), whole.raw_index(i));
}

TEST(Sampling, SobolPointsSpreadOverTheAxes) {
  SweepSpec spec = support::small_sweep({support::numbers(Axis::tp, {1, 2, 4, 8}),
                                         support::numbers(Axis::micro_batch, {1, 2, 4, 8}),
                                         support::numbers(Axis::seq_len, {128, 256, 512, 1024})});
  spec.search = {Strategy::sobol, 16};
  const DesignSpace space(spec, small_presets());
  ASSERT_EQ(space.size(), 16);
  std::map<std::int32_t, int> tensor, micro;
  for (PointIndex i = 0; i < 16; ++i) {
    ++tensor[space.at(i).degrees.tensor];
    ++micro[space.at(i).batch.micro_samples];
  }
  for (const auto& [value, count] : tensor) EXPECT_NEAR(count, 4, 1) << value;
  for (const auto& [value, count] : micro) EXPECT_NEAR(count, 4, 1) << value;
}

TEST(Sampling, SobolSaysWhenItFindsTooFew) {
  SweepSpec spec = sampled(small(), Strategy::sobol, 20);
  spec.rules.push_back(support::keep("few", "tp == 4 and pp == 1"));
  EXPECT_THROW(DesignSpace(spec, small_presets()), UserError);
}

TEST(SurvivorRanks, AreTheSurvivorsInOrder) {
  for (std::uint64_t number = 0; number < (support::is_sanitized ? 3U : 60U); ++number) {
    SCOPED_TRACE("space " + std::to_string(number));
    const simulate::Catalog presets = support::rich_catalog();
    const RawSpace space(support::RandomSweep(number).spec, presets);
    auto ranks = SurvivorRanks::of(space, 1'000'000);
    ASSERT_TRUE(ranks);
    RawCursor cursor(space);
    std::int64_t rank = 0;
    for (bool found = cursor.find(0, space.size()); found; found = cursor.next(space.size()))
      EXPECT_EQ(ranks->raw_at(rank++), cursor.raw());
    EXPECT_EQ(rank, ranks->size());
  }
}

}  // namespace
}  // namespace echo::sweep
