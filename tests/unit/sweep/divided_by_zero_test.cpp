#include "sweep/space/divided_by_zero.hpp"

#include <gtest/gtest.h>

#include "sweep/language/program.hpp"
#include "tests/support/small_space.hpp"

namespace echo::sweep {
namespace {

std::vector<RuleProblem> found_in(const SweepSpec& spec) {
  const simulate::Catalog catalog = support::small_catalog();
  std::vector<RuleProblem> problems;
  const std::vector<Program> programs = compile_program(spec, catalog, problems);
  EXPECT_TRUE(problems.empty());
  return rules_divided_by_zero(programs, catalog);
}
std::vector<RuleProblem> found_in(std::vector<Rule> rules) {
  return found_in(support::small_sweep(
      {support::numbers(Axis::tp, {1, 2, 4}), support::numbers(Axis::pp, {1, 2})}, std::move(rules)));
}
Rule keep(std::string expression) { return {RuleKind::keep, "k", std::move(expression), ""}; }

TEST(DividedByZero, IsFoundAtItsOperator) {
  const auto found = found_in({support::derive("a", "tp * 2"), support::derive("z", "a / (tp - tp)")});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].rule, 1);
  EXPECT_EQ(found[0].error.offset, 2);
  EXPECT_EQ(found[0].error.length, 1);
}

TEST(DividedByZero, IsFoundForEveryOperatorInDeriveAndKeep) {
  for (const char* expression : {"tp / 0", "tp // 0", "tp % 0", "tp / 0.0", "1.5 // (pp - pp)", "tp % 0.0"})
    EXPECT_EQ(found_in({support::derive("z", expression)}).size(), 1U) << expression;
  EXPECT_EQ(found_in({keep("tp % 0 == 0")}).size(), 1U);
  EXPECT_EQ(found_in({keep("tp == 1 or tp / 0 > 1")}).size(), 0U);  // it has a value where tp is 1
}

TEST(DividedByZero, InSomeCombinationsOnlyIsNoMistake) {
  EXPECT_TRUE(found_in({support::derive("z", "4 // (tp - 1)")}).empty());
  EXPECT_TRUE(found_in({support::derive("z", "4 // (tp - 4)")}).empty());  // the last value tried
}

TEST(DividedByZero, OtherwiseWithoutAValueIsNotReported) {
  EXPECT_TRUE(found_in({support::derive("z", "tp / 7")}).empty());  // never exact: an ordinary rule
  EXPECT_TRUE(found_in({keep("tp > 8"), support::derive("z", "tp / 0")}).empty());  // nothing reaches it
}

TEST(DividedByZero, IsFoundInABoundOfNumbers) {
  SweepSpec spec =
      support::small_sweep({support::numbers(Axis::tp, {2})}, {support::derive("half", "tp / 2")});
  spec.limits = {{"", "mem_peak", "1 GiB // 0", ""}, {"", "mem_peak", "1 GiB / half", ""}};
  const auto found = found_in(spec);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].rule, 1);  // behind the one rule
  EXPECT_EQ(found[0].error.offset, 6);
}

}  // namespace
}  // namespace echo::sweep
