#include "nsight/join.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/nsight/complaint.hpp"

namespace echo::nsight {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

constexpr std::int32_t compute = 7, other_compute = 8, communication = 20;

// A trace of kernels given as name, stream, start and end (ns), in the order of their start.
struct Launch {
  std::string name;
  std::int32_t stream = compute;
  std::int64_t start = 0, end = 0;
  std::int32_t device = 0;
};
Trace trace_of(const std::vector<Launch>& launches) {
  Trace trace;
  for (const Launch& launch : launches) {
    trace.kernels.push_back({.name = static_cast<std::int32_t>(trace.names.size()),
                             .device = launch.device,
                             .stream = launch.stream,
                             .start = launch.start,
                             .end = launch.end,
                             .blocks = 64,
                             .threads = 128,
                             .registers = 40,
                             .shared_memory = 512});
    trace.names.push_back({launch.name, "void " + launch.name + "<4>(int)", launch.name.starts_with("nccl")});
  }
  return trace;
}

Joined join(const std::vector<Launch>& alone, const std::vector<Launch>& overlapped,
            const std::vector<ProfiledKernel>& metrics = {}) {
  const Trace first = trace_of(alone), second = trace_of(overlapped);
  return join_runs({first, second, metrics, "a100-sxm-40gb"});
}

TEST(JoinRuns, MakesARowOfAKernelInBothRuns) {
  const Joined joined =
      join({{"gemm", compute, 1000, 2000}},
           {{"gemm", compute, 5000, 6200}, {"ncclDevKernel_AllGather_RING_LL", communication, 5600, 9000}});
  ASSERT_EQ(joined.rows.size(), 1U);
  const slowdown::OverlapRow& row = joined.rows.front();
  EXPECT_EQ(row.kernel, "gemm");
  EXPECT_EQ(row.full_name, "void gemm<4>(int)");
  EXPECT_EQ(row.gpu, "a100-sxm-40gb");
  EXPECT_DOUBLE_EQ(row.alone, 1e-6);
  EXPECT_DOUBLE_EQ(row.overlapped, 1.2e-6);
  EXPECT_DOUBLE_EQ(row.overlap_ratio, 0.5);
  EXPECT_NEAR(slowdown::slowdown_of(row), 0.4, 1e-12);
  EXPECT_EQ(row.beside.made_by, slowdown::CommunicationKind::collective);
  EXPECT_EQ(row.beside.collective, ops::CollectiveKind::all_gather);
  EXPECT_EQ(row.beside.channels, 64);
  EXPECT_EQ(row.beside.threads, 128);
  EXPECT_EQ(row.metrics.registers, 40.0);
  EXPECT_EQ(row.metrics.blocks, 64.0);
  EXPECT_EQ(row.metrics.shared_memory, 512.0);
  EXPECT_TRUE(joined.left_out.empty());
}

TEST(JoinRuns, CountsTimeUnderTwoCommunicationsOnce) {
  const Joined joined =
      join({{"gemm", compute, 0, 100}}, {{"gemm", compute, 1000, 1100},
                                         {"ncclDevKernel_AllReduce_A", communication, 1010, 1050},
                                         {"ncclDevKernel_ReduceScatter_B", 21, 1020, 1090}});
  EXPECT_DOUBLE_EQ(joined.rows.at(0).overlap_ratio, 0.8);
  EXPECT_EQ(joined.rows.at(0).beside.collective, ops::CollectiveKind::reduce_scatter);  // the longer one
}

// DDP copies gradients into buckets, which a run alone does not: what follows must not be shifted.
TEST(JoinRuns, MatchesInOrderAroundWhatOnlyOneRunHas) {
  const Joined joined = join({{"a", compute, 0, 10},
                              {"b", compute, 10, 30},
                              {"only_alone", compute, 30, 40},
                              {"a", compute, 40, 55}},
                             {{"bucket_copy", compute, 0, 5},
                              {"a", compute, 5, 16},
                              {"b", compute, 16, 36},
                              {"a", compute, 36, 52}});
  std::vector<double> alone;
  for (const auto& row : joined.rows) alone.push_back(std::round(row.alone * 1e9));
  EXPECT_THAT(alone, ElementsAre(10.0, 20.0, 15.0));
  EXPECT_THAT(joined.left_out, ElementsAre(Pair("of the overlapped run, without a counterpart alone", 1),
                                           Pair("of the run alone, without a counterpart overlapped", 1)));
  EXPECT_EQ(joined.kernels, 4);
}

TEST(JoinRuns, KeepsDevicesApart) {
  const Joined joined =
      join({{"gemm", compute, 0, 100, 0}}, {{"gemm", compute, 0, 150, 0},
                                            {"ncclDevKernel_AllReduce", communication, 0, 100, 1},
                                            {"gemm", compute, 0, 900, 1}});
  ASSERT_EQ(joined.rows.size(), 1U);
  EXPECT_EQ(joined.rows.front().overlap_ratio, 0.0);  // the other device communicates
  EXPECT_THAT(joined.left_out, ElementsAre(Pair("on a device absent in the run alone", 1)));
}

TEST(JoinRuns, LeavesOutWhatOtherStreamsComputeBeside) {
  const Joined joined =
      join({{"gemm", compute, 0, 100}, {"norm", other_compute, 200, 300}, {"gelu", compute, 400, 500}},
           {{"gemm", compute, 0, 100}, {"norm", other_compute, 80, 180}, {"gelu", compute, 178, 278}});
  ASSERT_EQ(joined.rows.size(), 1U);  // a short touch is none
  EXPECT_EQ(joined.rows.front().kernel, "gelu");
  EXPECT_THAT(joined.left_out, ElementsAre(Pair("kernels of other streams overlap them", 2)));
}

TEST(JoinRuns, LeavesOutWhatWasNotAlone) {
  const Joined joined = join({{"gemm", compute, 0, 100},
                              {"ncclDevKernel_Broadcast", communication, 90, 95},
                              {"norm", compute, 100, 200}},
                             {{"gemm", compute, 0, 100}, {"norm", compute, 100, 200}});
  EXPECT_EQ(joined.rows.size(), 1U);
  EXPECT_THAT(joined.left_out, ElementsAre(Pair("communication overlaps them in the run alone", 1)));
}

ProfiledKernel profile(const std::string& name, double throughput) {
  ProfiledKernel out{.name = name, .full_name = name, .device = "0"};
  out.metrics.compute_throughput = throughput;
  out.metrics.blocks = 64, out.metrics.threads = 128;
  return out;
}

TEST(JoinRuns, TakesMetricsOfTheSameLaunch) {
  const std::vector<Launch> launches{{"a", compute, 0, 10}, {"b", compute, 10, 30}, {"a", compute, 30, 45}};
  const Joined joined =
      join(launches, launches, {profile("a", 0.1), profile("unseen", 0.2), profile("a", 0.3)});
  std::vector<double> throughputs;
  for (const auto& row : joined.rows) throughputs.push_back(row.metrics.compute_throughput);
  EXPECT_EQ(throughputs.at(0), 0.1);
  EXPECT_TRUE(std::isnan(throughputs.at(1)));
  EXPECT_EQ(throughputs.at(2), 0.3);
  EXPECT_EQ(joined.with_metrics, 2);
  EXPECT_THAT(joined.left_out, ElementsAre(Pair("profiled, but not in the run alone", 1)));
}

TEST(JoinRuns, RunsOfDifferentProgramsAreRefused) {
  EXPECT_THAT(complaints_about([] {
                static_cast<void>(join({{"a", compute, 0, 10}}, {{"b", compute, 0, 10}}));
              }),
              ElementsAre(HasSubstr("have no kernel in common")));
  std::vector<Launch> many;
  for (std::int64_t i = 0; i < 6000; ++i) many.push_back({"b", compute, i, i + 1});
  EXPECT_THAT(complaints_about([&] {
                static_cast<void>(join({{"a", compute, 0, 10}}, many));
              }),
              ElementsAre(HasSubstr("more than 5000")));
}

}  // namespace
}  // namespace echo::nsight
