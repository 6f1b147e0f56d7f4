#include "trace_io/nsight/nsight_timeline.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "tests/support/scratch_files.hpp"
#include "tests/support/timeline_file.hpp"

namespace echo::trace_io {
namespace {

using echo::testing::ScratchFiles;
using echo::testing::TimelineFile;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> names_of(const trace::Trace& trace, std::size_t rank = 0) {
  std::vector<std::string> names;
  for (const trace::Node& node : trace.ranks.at(rank).nodes)
    names.push_back(trace.names.at(static_cast<std::size_t>(node.name)));
  return names;
}

TimelineFile two_steps() {
  TimelineFile file;
  file.range("iteration 1", 0, 1000).kernel("void first<4>(T1 *)", 1, 100, 200, 50);
  file.range("iteration 2", 1000, 2000).kernel("void second(T1 *)", 2, 1100, 2500, 50);
  return file;
}

TEST(NsightTimeline, TakesWhatTheStepLaunched) {
  const ScratchFiles files;
  two_steps().write(files.path("r.sqlite"));
  const trace::Trace trace = read_trace({files.path("r.sqlite")});
  EXPECT_EQ(trace.format, "nsight_sqlite");
  EXPECT_EQ(trace.gpu, "NVIDIA A100-SXM4-40GB");
  EXPECT_THAT(names_of(trace), ElementsAre("second"));
  EXPECT_EQ(trace.ranks[0].nodes[0].gap, SimTime(100'000));
  EXPECT_EQ(trace.ranks[0].nodes[0].duration, SimTime(50'000));
  EXPECT_THAT(names_of(read_trace({files.path("r.sqlite"), "", 1})), ElementsAre("first"));
  EXPECT_THROW(static_cast<void>(read_trace({files.path("r.sqlite"), "", 3})), UserError);
}

TEST(NsightTimeline, NcclKernelsKeepTheirTimeAndItIsNoted) {
  const ScratchFiles files;
  TimelineFile file;
  file.kernel("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(x)", 1, 100, 200, 5000, 20);
  file.write(files.path("r.sqlite"));
  const trace::Trace trace = read_trace({files.path("r.sqlite")});
  EXPECT_EQ(trace.ranks[0].nodes[0].collective, ops::CollectiveKind::all_reduce);
  EXPECT_EQ(trace.ranks[0].nodes[0].duration, SimTime(5'000'000));
  EXPECT_THAT(trace.notes, Contains(HasSubstr("have no size or members")));
  EXPECT_THAT(trace.notes, Contains(HasSubstr("no NVTX range marks steps")));
}

TEST(NsightTimeline, PassesFollowFromTheRangesThatAutogradEmits) {
  const ScratchFiles files;
  TimelineFile file;
  file.range("autograd::engine::evaluate_function: MmBackward0, seq = 3", 100, 200)
      .kernel("k(x)", 1, 150, 160, 5);
  file.write(files.path("r.sqlite"));
  EXPECT_EQ(read_trace({files.path("r.sqlite")}).ranks[0].nodes[0].pass, trace::Pass::backward);
}

TEST(NsightTimeline, StreamsWaitForTheEventsTheyWereToldTo) {
  const ScratchFiles files;
  TimelineFile file;
  file.kernel("before(x)", 1, 0, 10, 5, 7).record(2, 10, 9, 7).kernel("after(x)", 3, 20, 30, 5, 7);
  file.wait_event(4, 40, 9, 20).kernel("elsewhere(x)", 5, 50, 60, 5, 20);
  file.write(files.path("r.sqlite"));
  const trace::Trace trace = read_trace({files.path("r.sqlite")});
  EXPECT_THAT(names_of(trace), ElementsAre("before", "after", "elsewhere"));
  EXPECT_THAT(trace.ranks[0].needs.row(2), ElementsAre(0));
}

TEST(NsightTimeline, EachGpuIsARank) {
  const ScratchFiles files;
  TimelineFile file;
  file.kernel("one(x)", 1, 0, 10, 5, 7, 0).kernel("two(x)", 2, 5, 10, 5, 7, 1);
  file.write(files.path("r.sqlite"));
  const trace::Trace trace = read_trace({files.path("r.sqlite")});
  EXPECT_EQ(trace.world, 2);
  EXPECT_THAT(names_of(trace, 1), ElementsAre("two"));
}

}  // namespace
}  // namespace echo::trace_io
