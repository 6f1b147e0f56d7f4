// Spaces no one could list: what it takes to start on 10^9 raw combinations, and to plan 10^12. Costs are
// counted in values tried, which do not depend on the machine; times are recorded, not judged.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "sweep/space/count_space.hpp"
#include "sweep/space/design_space.hpp"
#include "tests/support/large_space.hpp"

namespace echo::sweep {
namespace {

int milliseconds_since(std::chrono::steady_clock::time_point start) {
  return static_cast<int>(
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start)
          .count());
}

std::int64_t values_tried(const RawSpace& space) {
  RawCursor cursor(space);
  for (bool found = cursor.find(0, space.size()); found;) found = cursor.next(space.size());
  return cursor.nodes();
}

const simulate::Catalog& presets() {
  static const simulate::Catalog made = support::large_catalog();
  return made;
}
const DesignSpace& billion() {
  static const DesignSpace space(support::billion_sweep(), presets());
  return space;
}

TEST(SpaceScale, ABillionCombinationsStartByVisitingAFewMillion) {
  const auto start = std::chrono::steady_clock::now();
  const DesignSpace& space = billion();
  RecordProperty("start_ms", milliseconds_since(start));
  EXPECT_GT(space.raw(), 1'000'000'000);
  const SpaceCount counted = count_space(space.raw_space(), {});
  EXPECT_TRUE(counted.exact);
  EXPECT_EQ(counted.kept.value, space.size() + space.duplicates());
  EXPECT_LT(values_tried(space.raw_space()), 10 * space.size());
}

TEST(SpaceScale, TheOrderOfAxesHardlyMatters) {
  const auto start = std::chrono::steady_clock::now();
  const DesignSpace backwards(support::billion_sweep_backwards(), presets());
  RecordProperty("start_ms", milliseconds_since(start));
  EXPECT_EQ(backwards.size(), billion().size());
  EXPECT_LT(values_tried(backwards.raw_space()), 10 * billion().size());
}

TEST(SpaceScale, ATrillionCombinationsThatFactorAreCounted) {
  const RawSpace space(support::trillion_sweep(), presets());
  const SpaceCount part = count_space(RawSpace(support::billion_sweep(), presets()), {});
  const auto start = std::chrono::steady_clock::now();
  const SpaceCount counted = count_space(space, {});
  RecordProperty("count_ms", milliseconds_since(start));
  EXPECT_GT(space.size(), 1'000'000'000'000);
  EXPECT_TRUE(counted.exact);
  EXPECT_EQ(counted.kept, exactly(part.kept.value * 1024));  // ten axes of two that no rule reads
  ASSERT_EQ(counted.rules.size(), part.rules.size());
  for (std::size_t r = 0; r < part.rules.size(); ++r)
    EXPECT_EQ(counted.rules[r].removed, exactly(part.rules[r].removed.value * 1024));
}

TEST(SpaceScale, ATrillionCombinationsBeyondTheBudgetAreEstimated) {
  SweepSpec spec = support::trillion_sweep();
  std::reverse(spec.dimensions.begin(), spec.dimensions.end());
  const SpaceCount truth = count_space(RawSpace(support::trillion_sweep(), presets()), {});
  const auto start = std::chrono::steady_clock::now();
  const SpaceCount guess = count_space(RawSpace(spec, presets()), {.seed = 3, .node_budget = 400'000});
  RecordProperty("estimate_ms", milliseconds_since(start));
  EXPECT_FALSE(guess.exact);
  EXPECT_LE(guess.kept.low, truth.kept.value);
  EXPECT_GE(guess.kept.high, truth.kept.value);
  EXPECT_LT(static_cast<double>(guess.kept.high - guess.kept.low),
            0.8 * static_cast<double>(truth.kept.value));
}

// One rule that reads every axis, so that nothing factors: points are drawn among raw combinations.
TEST(SpaceScale, SpacesThatCannotBeCountedAreSampled) {
  const simulate::Catalog catalog = support::small_catalog();
  std::vector<std::int64_t> upto;
  for (std::int64_t i = 1; i <= 250; ++i) upto.push_back(i);
  SweepSpec spec = support::small_sweep(
      {support::numbers(Axis::tp, upto), support::numbers(Axis::pp, upto), support::numbers(Axis::vpp, upto),
       support::numbers(Axis::micro_batch, upto), support::numbers(Axis::seq_len, upto)},
      {support::keep("all", "(tp * 3 + pp * 5 + vpp * 7 + micro_batch * 11 + seq_len * 13) % 97 < 3")});
  for (const Strategy strategy : {Strategy::random, Strategy::sobol}) {
    spec.search = {strategy, 400};
    const auto start = std::chrono::steady_clock::now();
    const DesignSpace space(spec, catalog);
    RecordProperty(strategy == Strategy::sobol ? "sobol_ms" : "random_ms", milliseconds_since(start));
    ASSERT_EQ(space.size(), 400);
    int low = 0;
    for (PointIndex i = 0; i < 400; ++i) low += space.at(i).batch.sequence_tokens <= 125 ? 1 : 0;
    EXPECT_NEAR(low, 200, 40);  // four standard deviations of independent draws
  }
}

// 10^8 points in a few megabytes: the index keeps at most so many places, and points are still found by
// number.
TEST(SpaceScale, AnIndexIsBoundedForAnyNumberOfPoints) {
  const DesignSpace& fine = billion();
  const DesignSpace coarse(support::billion_sweep(), presets(), index_part(fine.raw_space(), 0, 1, 4096));
  ASSERT_EQ(coarse.size(), fine.size());
  ASSERT_EQ(coarse.index().segments.size(), 1U);
  EXPECT_LE(coarse.index().segments[0].raws.size(), 4096U);
  for (std::uint64_t visit = 0; visit < 50; ++visit) {
    const auto point = static_cast<PointIndex>(draw(1, 2, visit) % static_cast<std::uint64_t>(fine.size()));
    EXPECT_EQ(coarse.raw_index(point), fine.raw_index(point));
  }
}

}  // namespace
}  // namespace echo::sweep
