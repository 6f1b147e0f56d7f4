#include "nsight/timeline.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "tests/support/scratch_files.hpp"
#include "tests/support/timeline_file.hpp"

namespace echo::nsight {
namespace {

using echo::testing::ScratchFiles;
using echo::testing::TimelineFile;

TEST(Timeline, StepsAreRangesThatAreNumbered) {
  EXPECT_EQ(step_number("ProfilerStep#12"), 12);
  EXPECT_EQ(step_number("iteration 3"), 3);
  EXPECT_EQ(step_number("step_7"), 7);
  EXPECT_EQ(step_number("Iter: 4"), 4);
  for (const char* text :
       {"", "step", "step -", "step 7 of 9", "stepping 7", "aten::mm", "step 99999999999999999999"})
    EXPECT_EQ(step_number(text), -1) << text;
}

TEST(Timeline, HoldsWhatTheStepCalledAndRan) {
  const ScratchFiles files;
  TimelineFile file;
  file.range("step 1", 0, 100)
      .kernel("a(x)", 1, 10, 150, 5)
      .range("step 2", 100, 200)
      .kernel("b(x)", 2, 110, 300, 5);
  file.write(files.path("r.sqlite"));
  const Timeline timeline = read_timeline(files.path("r.sqlite"), 1);
  EXPECT_EQ(timeline.label, "step 1");
  ASSERT_EQ(timeline.calls.size(), 1U);
  ASSERT_EQ(timeline.activities.size(), 1U);
  EXPECT_EQ(timeline.activities[0].start, 150);
  EXPECT_EQ(timeline.names.at(static_cast<std::size_t>(timeline.activities[0].name)), "a(x)");
  EXPECT_EQ(timeline.calls[0].correlation, timeline.activities[0].correlation);
}

TEST(Timeline, WithoutCallsTheKernelsThatStartWithinAreTheSteps) {
  const ScratchFiles files;
  echo::testing::write_trace(files.path("r.sqlite"),
                             {{"gemm", "gemm(T1 *)", 1000, 2000}, {"norm", "norm(T1 *)", 2000, 2500}});
  const Timeline timeline = read_timeline(files.path("r.sqlite"), -1);
  EXPECT_EQ(timeline.activities.size(), 2U);
  EXPECT_EQ(timeline.start, -1);
}

TEST(Timeline, AReportWithoutKernelsIsRefused) {
  const ScratchFiles files;
  echo::testing::run_sql(files.path("r.sqlite"), "CREATE TABLE StringIds (id INTEGER, value TEXT);");
  EXPECT_THROW(static_cast<void>(read_timeline(files.path("r.sqlite"), -1)), UserError);
}

}  // namespace
}  // namespace echo::nsight
