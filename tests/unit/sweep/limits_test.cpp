#include "sweep/language/limits.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sweep/space/design_space.hpp"
#include "tests/support/small_space.hpp"

namespace echo::sweep {
namespace {

using training::Reason;
using training::Status;

const simulate::Catalog& catalog() {
  static const simulate::Catalog made = support::small_catalog();
  return made;
}
// tp = 2; limits on top of each other.
SweepSpec limited(std::vector<Limit> limits) {
  SweepSpec spec =
      support::small_sweep({support::numbers(Axis::tp, {2})}, {support::derive("half", "tp / 2")});
  spec.limits = std::move(limits);
  return spec;
}
Row finished() {
  Row row;
  row.report.status = Status::ok;
  row.report.step = from_seconds(4.0);
  row.report.memory_peak = 60_GiB;
  row.report.tokens_per_second = 1e6;
  row.report.mfu = 0.4;
  return row;
}
Row judged(std::vector<Limit> limits, Row row = finished(), double target_tokens = 0.0) {
  const DesignSpace space(limited(std::move(limits)), catalog());
  PointCursor point(space);
  point.go_to(0);
  row.config = point.config();
  apply_limits(point.program(), point.state(), catalog(), {.target_tokens = target_tokens}, row);
  return row;
}

TEST(Limits, ABrokenLimitMakesTheRowInfeasibleAndKeepsItsTimes) {
  const Row row = judged({{"", "mem_peak", "0.5 * gpu.memory", ""}});  // an a100 has 80 GiB
  EXPECT_EQ(row.report.status, Status::infeasible);
  EXPECT_EQ(row.report.reason, Reason::limit);
  EXPECT_EQ(row.limit, 0);
  EXPECT_DOUBLE_EQ(row.limit_excess, 0.5);
  EXPECT_EQ(row.report.step, from_seconds(4.0));
}

TEST(Limits, TheFirstBrokenInFileOrderCounts) {
  const Row row =
      judged({{"", "step_time", "10 s", ""}, {"", "mfu", "", "0.5"}, {"", "mem_peak", "1 GiB", ""}});
  EXPECT_EQ(row.limit, 1);
  EXPECT_DOUBLE_EQ(row.limit_excess, 0.2);
}

TEST(Limits, ABoundIsNoBreach) {
  EXPECT_EQ(judged({{"", "step_time", "4 s", ""}, {"", "mfu", "", "0.4"}}).report.status, Status::ok);
}

TEST(Limits, ReadAxesDerivedNamesAndPresets) {
  EXPECT_EQ(judged({{"", "mem_peak", "30 GiB * tp", ""}}).limit, -1);
  EXPECT_EQ(judged({{"", "mem_peak", "30 GiB * half", ""}}).limit, 0);
}

TEST(Limits, WhatIsNotKnownBreaksNothing) {
  const std::vector<Limit> limits{{"", "train_time", "1 s", ""}};
  EXPECT_EQ(judged(limits).limit, -1);  // no [target] tokens
  EXPECT_EQ(judged(limits, finished(), 1e12).limit, 0);
  EXPECT_EQ(judged({{"", "mem_peak", "1 GiB // 0", ""}}).limit, -1);
}

TEST(Limits, OnlyRowsThatRanAreJudged) {
  Row row = finished();
  row.report.status = Status::infeasible;
  row.report.reason = Reason::memory;
  EXPECT_EQ(judged({{"", "mem_peak", "1 GiB", ""}}, row).report.reason, Reason::memory);
}

std::vector<RuleProblem> problems_of(Limit limit) {
  std::vector<RuleProblem> problems;
  (void)compile_program(limited({std::move(limit)}), catalog(), problems);
  return problems;
}

TEST(Limits, WantTheUnitOfTheirMetric) {
  const auto problems = problems_of({"", "mem_peak", "30 s", ""});
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0].rule, 1);  // counted on behind the rules
  EXPECT_NE(problems[0].error.what.find("bytes"), std::string::npos) << problems[0].error.what;
  EXPECT_EQ(problems_of({"", "mem_peak", "1e9", ""}).size(), 1U);
  EXPECT_EQ(problems_of({"", "mfu", "", "1 GiB"}).size(), 1U);
  EXPECT_EQ(problems_of({"", "step_tme", "1 s", ""}).size(), 1U);
  EXPECT_EQ(problems_of({"", "mfu", "", "tp > 1"}).size(), 1U);
  EXPECT_TRUE(problems_of({"", "mfu", "", "0.3"}).empty());
}

}  // namespace
}  // namespace echo::sweep
