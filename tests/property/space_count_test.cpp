// Counts without visiting against counts of every combination, and estimates against both.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "sweep/space/count_space.hpp"
#include "tests/support/random_space.hpp"

namespace echo::sweep {
namespace {

using support::look_at;
using support::RandomSweep;

struct Listed {
  std::map<std::string, std::int64_t> first, alone;  // [rule] removed
  std::int64_t kept = 0;
};

Listed list(const RawSpace& space) {
  Listed out;
  for (std::int64_t raw = 0; raw < space.size(); ++raw) {
    const auto seen = look_at(space, raw);
    const std::vector<RuleName>& rules = space.program(0).rules;
    if (seen.kept) ++out.kept;
    if (!seen.kept) ++out.first[rules[static_cast<std::size_t>(seen.blamed)].name];
    for (std::size_t r = 0; r < rules.size(); ++r) out.alone[rules[r].name] += seen.failed[r] ? 1 : 0;
  }
  return out;
}

TEST(SpaceCount, EqualsAVisitToEveryCombination) {
  const simulate::Catalog catalog = support::rich_catalog();
  std::int64_t kept = 0, removed = 0;
  for (std::uint64_t number = 1000; number < 1300; ++number) {
    SCOPED_TRACE("space " + std::to_string(number));
    const RawSpace space(RandomSweep(number).spec, catalog);
    if (space.size() > 20'000) continue;
    Listed expected = list(space);
    const SpaceCount counted = count_space(space, {});
    ASSERT_TRUE(counted.exact);
    EXPECT_EQ(counted.kept, exactly(expected.kept));
    std::int64_t sum = expected.kept;
    for (const RuleCount& rule : counted.rules) {
      EXPECT_EQ(rule.removed, exactly(expected.first[rule.name])) << rule.name;
      sum += rule.removed.value;
    }
    EXPECT_EQ(sum, space.size());
    for (const RuleCount& rule : count_rules_alone(space, {}))
      EXPECT_EQ(rule.removed, exactly(expected.alone[rule.name])) << rule.name;
    kept += expected.kept, removed += space.size() - expected.kept;
  }
  EXPECT_GT(kept, 10'000);
  EXPECT_GT(removed, 10'000);
}

std::vector<std::int64_t> upto(std::int64_t last) {
  std::vector<std::int64_t> values;
  for (std::int64_t i = 1; i <= last; ++i) values.push_back(i);
  return values;
}

// Too little budget to count, so that all is estimated; how often the 95 % intervals hold the truth.
TEST(SpaceCount, IntervalsCoverTheTruthAsOftenAsTheySay) {
  const simulate::Catalog catalog = support::rich_catalog();
  int intervals = 0, covered = 0;
  double worst = 0.0;
  for (std::uint64_t number = 2000; number < 2400; ++number) {
    SweepSpec spec = RandomSweep(number).spec;
    // Enough below the top that descents have something to draw.
    spec.dimensions.push_back(support::numbers(Axis::seq_len, upto(40)));
    spec.dimensions.push_back(support::numbers(Axis::ep, upto(25)));
    spec.groups.clear();
    spec.rules.push_back(support::keep("odd", "seq_len * tp % 3 != 1 or seq_len > ep + pp"));
    spec.rules.push_back(support::keep("even", "(seq_len + ep + dp) % 2 == 0"));
    spec.rules.push_back(support::keep("both", "seq_len * ep % 5 != 4 or tp > 1"));
    const RawSpace space(spec, catalog);
    const SpaceCount truth = count_space(space, {});
    ASSERT_TRUE(truth.exact);
    const SpaceCount guess = count_space(space, {.seed = number, .node_budget = 40});
    if (guess.exact) continue;
    const auto compare = [&](const Count& estimated, const Count& counted) {
      if (estimated.is_exact()) {
        EXPECT_EQ(estimated, counted);
        return;
      }
      if (counted.value == 0) {  // bounded, not estimated: an end at 0 always holds
        EXPECT_EQ(estimated.low, 0);
        return;
      }
      ++intervals;
      covered += estimated.low <= counted.value && counted.value <= estimated.high ? 1 : 0;
      worst = std::max(worst, std::abs(static_cast<double>(estimated.value - counted.value)) /
                                  static_cast<double>(space.size()));
    };
    compare(guess.kept, truth.kept);
    for (const RuleCount& rule : guess.rules) {
      const auto same = std::ranges::find(truth.rules, rule.name, &RuleCount::name);
      compare(rule.removed, same == truth.rules.end() ? exactly(0) : same->removed);
    }
  }
  ASSERT_GT(intervals, 300);
  const double share = static_cast<double>(covered) / intervals;
  const double noise = std::sqrt(0.95 * 0.05 / intervals);
  EXPECT_GT(share, 0.95 - 4.0 * noise) << covered << " of " << intervals;
  EXPECT_LT(worst, 0.2);
  RecordProperty("covered", covered);
  RecordProperty("intervals", intervals);
}

TEST(SpaceCount, TheSameSeedGivesTheSameEstimate) {
  const simulate::Catalog catalog = support::rich_catalog();
  for (std::uint64_t number = 0; number < 20; ++number) {
    const RawSpace space(RandomSweep(number).spec, catalog);
    const CountOptions options{.seed = number, .node_budget = 10};
    const SpaceCount one = count_space(space, options), other = count_space(space, options);
    EXPECT_EQ(one.rules, other.rules);
    EXPECT_EQ(one.kept, other.kept);
  }
}

}  // namespace
}  // namespace echo::sweep
