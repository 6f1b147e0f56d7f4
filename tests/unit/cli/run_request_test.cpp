#include "cli/run/run_request.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "cli/slurm/time_budget.hpp"

namespace echo::cli {
namespace {

TEST(TimeBudget, IsReadAsPeopleWriteIt) {
  EXPECT_EQ(parse_seconds("3h30m", "--time-budget"), 12'600.0);
  EXPECT_EQ(parse_seconds("90 min", "--time-budget"), 5'400.0);
  EXPECT_EQ(parse_seconds("90m", "--time-budget"), 5'400.0);
  EXPECT_EQ(parse_seconds("1 h 30 s", "--time-budget"), 3'630.0);
  EXPECT_EQ(parse_seconds("250 ms", "--time-budget"), 0.25);
  EXPECT_EQ(parse_seconds("45", "--time-budget"), 45.0);
  for (const char* wrong : {"", "soon", "3 parsecs", "-5", "3h30"})
    EXPECT_THROW(static_cast<void>(parse_seconds(wrong, "--time-budget")), UserError) << wrong;
}

TEST(TimeBudget, OfTheCommandLineBeatsTheSweepAndTheJob) {
  EXPECT_EQ(time_budget("2h", 60.0, "1000", 0), 7200.0);
  EXPECT_EQ(time_budget("0", 60.0, "1000", 0), std::nullopt);
  EXPECT_EQ(time_budget("", 60.0, "1000", 0), 60.0);
  EXPECT_EQ(time_budget("", 0.0, nullptr, 0), std::nullopt);
}

TEST(TimeBudget, LeavesAMinuteOfASlurmJobOrHalfOfWhatIsLeft) {
  EXPECT_EQ(time_budget("", 0.0, "10000", 4000), 5940.0);
  EXPECT_EQ(time_budget("", 0.0, "10000", 9900), 50.0);
  EXPECT_EQ(time_budget("", 0.0, "10000", 20'000), 0.0);  // over, or a clock that is wrong
}

TEST(ExitCode, IsFourOnlyAboveTheFailuresAllowed) {
  using Counts = std::array<std::int64_t, 5>;
  EXPECT_EQ(exit_code_of_rows(Counts{5, 3, 0, 0, 0}, 0, false), 0);
  EXPECT_EQ(exit_code_of_rows(Counts{5, 3, 1, 0, 0}, 0, false), 4);
  EXPECT_EQ(exit_code_of_rows(Counts{5, 3, 2, 0, 0}, 2, false), 0);
  EXPECT_EQ(exit_code_of_rows(Counts{0, 3, 0, 1, 0}, 0, false), 3);
  EXPECT_EQ(exit_code_of_rows(Counts{0, 3, 0, 1, 0}, 0, true), 0);
}

TEST(MaxFailures, IsANumberOrAShareOfTheCommandLineElseOfTheSweep) {
  sweep::SweepSpec spec;
  spec.run.max_failures = "2 %";
  EXPECT_EQ(failures_allowed({}, {}, 1000), 0);
  EXPECT_EQ(failures_allowed({}, spec, 1000), 20);
  EXPECT_EQ(failures_allowed({.max_failures = "7"}, spec, 1000), 7);
  EXPECT_EQ(failures_allowed({.max_failures = "0.5%"}, spec, 1000), 5);
}

TEST(RunOptions, AreRefusedWhereTheyMeanNothing) {
  EXPECT_NO_THROW(check_options({}));
  for (const RunOptions& wrong :
       {RunOptions{.shard = "3/2"}, RunOptions{.max_failures = "some"}, RunOptions{.time_budget = "later"},
        RunOptions{.fresh = true, .extend = true}, RunOptions{.fresh = true, .retry_failed = true},
        RunOptions{.shard = "1/2", .extend = true}}) {
    try {
      check_options(wrong);
      ADD_FAILURE() << "accepted";
    } catch (const UserError& error) {
      EXPECT_EQ(error.exit_code(), 2);
    }
  }
}

}  // namespace
}  // namespace echo::cli
