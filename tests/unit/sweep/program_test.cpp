#include "sweep/language/program.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.hpp"
#include "sweep/space/count_space.hpp"
#include "sweep/space/design_space.hpp"
#include "tests/support/random_space.hpp"

namespace echo::sweep {
namespace {

using support::derive;
using support::keep;
using support::names;
using support::numbers;

const simulate::Catalog& catalog() {
  static const simulate::Catalog made = support::small_catalog();
  return made;
}
std::vector<RuleProblem> problems_of(const SweepSpec& spec) {
  std::vector<RuleProblem> problems;
  (void)compile_program(spec, catalog(), problems);
  return problems;
}

TEST(Program, AWordThatNoAxisKnowsIsAnErrorAtThatWord) {
  const auto problems =
      problems_of(support::small_sweep({}, {keep("typo", "vpp == 1 or schedule == 'interleavd'")}));
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0].error.what, "unknown schedule \"interleavd\"");
  EXPECT_EQ(problems[0].error.offset, 25);
  EXPECT_EQ(problems[0].error.length, 10);
  EXPECT_EQ(problems[0].error.unknown_name, "interleavd");
  EXPECT_NE(std::find(problems[0].known.begin(), problems[0].known.end(), "interleaved"),
            problems[0].known.end());
  EXPECT_EQ(problems_of(support::small_sweep({}, {keep("other", "'tiny-gtp' != model")})).size(), 1U);
  EXPECT_TRUE(problems_of(support::small_sweep({}, {keep("fine", "model != 'tiny-llama'")})).empty());
}

// Every step runs at the first level where all it reads is known, and after what writes it.
TEST(Program, StepsRunAsEarlyAsTheyCan) {
  const simulate::Catalog presets = support::rich_catalog();
  std::size_t steps = 0;
  for (std::uint64_t number = 0; number < 100; ++number) {
    const RawSpace space(support::RandomSweep(number).spec, presets);
    for (std::size_t g = 0; g < space.groups(); ++g) {
      const Program& program = space.program(g);
      std::vector<int> known_at(static_cast<std::size_t>(program.slots), -1);  // level
      for (std::size_t level = 0; level < program.steps.size(); ++level) {
        if (level > 0) {
          for (const ResolvedColumn& column : program.dimensions[level - 1])
            known_at[at(column.axis)] = static_cast<int>(level);
        }
        for (const Step& step : program.steps[level]) {
          int earliest = 0;
          for (const std::int32_t slot : step.reads) {
            ASSERT_GE(known_at[static_cast<std::size_t>(slot)], 0) << "reads what nobody has written yet";
            earliest = std::max(earliest, known_at[static_cast<std::size_t>(slot)]);
          }
          EXPECT_EQ(static_cast<int>(level), earliest);
          if (step.writes >= 0) known_at[static_cast<std::size_t>(step.writes)] = static_cast<int>(level);
          ++steps;
        }
      }
    }
  }
  EXPECT_GT(steps, 1000U);
}

SweepSpec two_groups(std::vector<Rule> rules) {
  SweepSpec spec = support::small_sweep({}, std::move(rules));
  const auto with = [&](std::vector<Dimension> more) {
    std::vector<Dimension> all = spec.dimensions;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  spec.groups = {{"narrow", with({numbers(Axis::tp, {1, 2}), numbers(Axis::gpus, {4})})},
                 {"deep", with({numbers(Axis::pp, {1, 2, 4}), numbers(Axis::dp, {1, 2})})}};
  return spec;
}

TEST(Program, AMistakeInEveryGroupIsToldOnce) {
  EXPECT_EQ(problems_of(two_groups({keep("wrong", "tp <= nodes")})).size(), 1U);
}

TEST(Program, GroupsFollowEachOtherAndTheirCountsAddUp) {
  const DesignSpace space(two_groups({keep("even", "dp % 2 == 0")}), catalog());
  EXPECT_EQ(space.raw(), 2 + 6);
  // narrow: dp = 4 and 2, both even; deep: half of its points.
  EXPECT_EQ(space.size(), 2 + 3);
  EXPECT_EQ(space.at(0).degrees.data, 4);
  EXPECT_EQ(space.at(2).degrees.pipeline, 1);
  const std::vector<RuleCount> expected{{"even", exactly(3), true}};
  EXPECT_EQ(count_space(space.raw_space(), {}).rules, expected);
}

TEST(Program, APointInTwoGroupsIsRunOnce) {
  SweepSpec spec = two_groups({});
  spec.groups[1] = spec.groups[0];
  const DesignSpace space(spec, catalog());
  EXPECT_EQ(space.raw(), 4);
  EXPECT_EQ(space.size(), 2);
  EXPECT_EQ(space.duplicates(), 2);
}

}  // namespace
}  // namespace echo::sweep
