#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/at.hpp"
#include "base/error.hpp"
#include "overlaps/observe.hpp"
#include "overlaps/readers/host_ops.hpp"
#include "overlaps/readers/kineto_profile.hpp"
#include "overlaps/readers/nsight_profile.hpp"
#include "overlaps/rows_csv.hpp"
#include "tests/support/kineto_text.hpp"
#include "tests/support/temp_file.hpp"
#include "tests/support/timeline_file.hpp"

namespace echo::overlaps {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::KinetoText;

const std::string launch = R"(, "grid": [64, 2, 1], "block": [128, 1, 1], "registers per thread": 90,
  "shared memory": 4096, "blocks per SM": 1.1851852, "warps per SM": 4.7407407, "est. achieved occupancy %": 4)";

Profile read(const std::string& text) {
  const TempFile file("t.json");
  std::ofstream(file.path) << text;
  return read_kineto_profile(file.path);
}

TEST(KinetoProfile, HasWhatWasLaunchedAndTheOpsAround) {
  KinetoText text;
  text.op("aten::linear", 1, 10, 40, R"(, "Input Dims": [[8, 4], [2, 4]], "Input type": ["float", "float"])");
  text.op("aten::addmm", 2, 12, 30, R"(, "Input Dims": [[], []], "Input type": ["", ""])");
  text.kernel("gemm", 7, 20, 100, 50, 7, launch);
  const Profile profile = read(text.text());
  ASSERT_EQ(profile.activities.size(), 1U);
  const Activity& one = profile.activities[0];
  EXPECT_EQ(profile.texts[one.op], "aten::linear/aten::addmm");
  EXPECT_EQ(profile.texts[one.shape], "[[8, 4], [2, 4]]");
  EXPECT_EQ(profile.texts[one.types], R"(["float", "float"])");
  EXPECT_TRUE(one.is_shape_of_parent);
  EXPECT_EQ(one.start, 100'000);
  EXPECT_EQ(one.duration, 50'000);
  const Launch& made = profile.launches[at(one.launch)];
  EXPECT_THAT(made.grid, ElementsAre(64, 2, 1));
  EXPECT_EQ(made.registers, 90);
  EXPECT_EQ(made.shared_memory, 4096);
  EXPECT_DOUBLE_EQ(made.occupancy_percent, 4.0);
  EXPECT_EQ(profile.tick, 1000);
  EXPECT_EQ(profile.sm_count, 108);  // 128 blocks / 1.1851852 per SM
  EXPECT_TRUE(profile.is_sm_count_inferred);
}

TEST(KinetoProfile, KnowsCollectivesByTheCallAroundThem) {
  KinetoText text;
  text.op("c10d::alltoall_base_", 1, 10, 90, R"(, "Input Dims": [[16], [32]], "Input type": ["int", "int"])");
  text.annotation("nccl:all_to_all", 15, 60, KinetoText::main_thread,
                  R"("Input Dims": [[32]], "Input type": ["int"])");
  text.kernel("ncclDevKernel_SendRecv(x)", 7, 20, 200, 50, 20, launch);
  text.op("c10d::_allgather_base_", 2, 110, 90,
          R"(, "Input Dims": [[64], [8]], "Input type": ["float", "float"])");
  text.annotation("nccl:_all_gather_base", 115, 60, KinetoText::main_thread,
                  R"("Input Dims": [[8]], "Input type": ["float"])");
  text.kernel("ncclDevKernel_AllGather_RING_LL(x)", 8, 120, 300, 50, 20, launch);
  text.kernel("void dpsk::ep::internode::dispatch<false, 8>(x)", 9, 220, 400, 50, 27, launch);
  text.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)", 10, 230, 500, 50, 20,
              launch + R"(, "Collective name": "allreduce", "In msg nelems": 6144, "Out msg nelems": 6144,
                "Group size": 2, "dtype": "Float", "Process Group Name": "13")");
  const Profile profile = read(text.text());
  std::vector<std::string> kinds;
  std::vector<std::int64_t> bytes;
  for (const Activity& one : profile.activities) {
    ASSERT_TRUE(one.communicates);
    kinds.push_back(profile.collectives[at(one.collective)].kind);
    bytes.push_back(profile.collectives[at(one.collective)].bytes);
  }
  EXPECT_THAT(kinds, ElementsAre("all_to_all", "all_gather", "ep_dispatch", "all_reduce"));
  EXPECT_THAT(bytes, ElementsAre(128, 256, -1, 24576));
  EXPECT_EQ(profile.collectives.back().group, "13");
  EXPECT_EQ(profile.collectives.back().group_size, 2);
  EXPECT_EQ(profile.texts[profile.activities[0].op], "c10d::alltoall_base_/nccl:all_to_all");
}

TEST(KinetoProfile, TellsGpuRankAndEpoch) {
  KinetoText text;
  text.header(R"("deviceProperties": [{"id": 0, "name": "NVIDIA H800", "numSms": 132}])");
  text.header(R"("distributedInfo": {"rank": 3, "world_size": 8}, "baseTimeNanoseconds": 500)");
  text.kernel("gemm", 7, 20, 100, 50.25);
  const Profile profile = read(text.text());
  EXPECT_EQ(profile.gpu, "H800");
  EXPECT_EQ(profile.driver_gpu, "NVIDIA H800");
  EXPECT_EQ(profile.sm_count, 132);
  EXPECT_FALSE(profile.is_sm_count_inferred);
  EXPECT_EQ(profile.rank, 3);
  EXPECT_EQ(profile.world, 8);
  EXPECT_EQ(profile.epoch, 500);
  EXPECT_EQ(profile.tick, 1);
}

TEST(KinetoProfile, OneOfTheHostAloneIsRefused) {
  KinetoText text;
  text.op("aten::mm", 1, 10, 40);
  try {
    static_cast<void>(read(text.text()));
    FAIL();
  } catch (const UserError& error) {
    EXPECT_EQ(error.exit_code(), 2);
    EXPECT_THAT(error.problems().front().what, HasSubstr("only the host was profiled"));
  }
}

TEST(NsightProfile, OneRunHoldsKernelsAloneAndBeside) {
  testing::TimelineFile file;
  int correlation = 0;
  const auto layer = [&](std::int64_t start, std::int64_t time) {
    file.range("aten::mm, seq = 5, op_id = 2, sizes = [[4, 8], [8, 2]]", start, start + 90);
    file.kernel("gemm(x)", ++correlation, start + 10, start + 100, time);
  };
  for (int i = 0; i < 4; ++i) layer(10'000 * i, 6000);
  file.range("iteration 1", 0, 200'000);
  file.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)", 90, 90'000, 99'000, 60'000, 20);
  layer(100'000, 9000);
  const TempFile report("report.sqlite");
  file.write(report.path);
  const std::vector<Profile> profiles = read_nsight_profiles(report.path);
  ASSERT_EQ(profiles.size(), 1U);
  EXPECT_EQ(profiles[0].gpu, "A100-SXM4-40GB");
  EXPECT_EQ(profiles[0].sm_count, 108);
  const ProfileOverlaps found = observe(profiles[0], {});
  ASSERT_EQ(found.rows.size(), 1U);
  EXPECT_DOUBLE_EQ(found.rows[0].slowdown, 1.5);
  const Activity& one = profiles[0].activities[at(found.rows[0].activity)];
  EXPECT_EQ(profiles[0].texts[one.op], "aten::mm");
  EXPECT_EQ(profiles[0].texts[one.shape], "[[4, 8], [8, 2]]");
  EXPECT_TRUE(found.rows[0].is_recommended);
}

TEST(NsightProfile, EachGpuIsAProfile) {
  testing::TimelineFile file;
  file.kernel("a(x)", 1, 10, 100, 50, 7, 0).kernel("a(x)", 2, 20, 100, 50, 7, 1);
  const TempFile report("report.sqlite");
  file.write(report.path);
  const std::vector<Profile> profiles = read_nsight_profiles(report.path);
  ASSERT_EQ(profiles.size(), 2U);
  EXPECT_EQ(profiles[1].rank, 1);
  EXPECT_EQ(profiles[1].world, 2);
  EXPECT_TRUE(profiles[1].trace.ends_with("report.sqlite:1"));
}

TEST(HostOps, AroundACallStandTheOpsThatRan) {
  const std::vector<HostOp> ops{
      {1, 0, 100, 1}, {1, 10, 50, 2}, {1, 20, 30, 3}, {1, 60, 70, 4}, {2, 0, 100, 5}};
  const auto around =
      ops_around(ops, {{1, 25, 0}, {1, 40, 1}, {1, 65, 2}, {2, 65, 3}, {3, 65, 4}, {1, 200, 5}});
  EXPECT_THAT(around, ElementsAre(ElementsAre(2, 1, 0), ElementsAre(1, 0), ElementsAre(3, 0), ElementsAre(4),
                                  IsEmpty(), IsEmpty()));
}

TEST(RowsCsv, HasACellForEveryColumn) {
  KinetoText text;
  for (int i = 0; i < 3; ++i)
    text.kernel("gemm<1, \\\"x\\\">(int)", 10 + i, 20 + 100 * i, 100 * i + 200, 20, 7, launch);
  text.op("aten::mm", 1, 0, 2000, R"(, "Input Dims": [[8, 4]], "Input type": ["float"])");
  text.kernel("gemm<1, \\\"x\\\">(int)", 20, 1000, 1100, 30, 7, launch);
  text.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)", 21, 1001, 1090, 80, 20, launch);
  const Profile profile = read(text.text());
  const ProfileOverlaps found = observe(profile, {});
  ASSERT_EQ(found.rows.size(), 1U);
  const std::string csv = rows_header() + row_text(profile, found.rows[0], {"here", "run", "H100"});
  EXPECT_THAT(csv, HasSubstr(",here,,,H100,108,,,,torch.profiler,1,\"gemm<1, \"\"x\"\">(int)\",gemm,"));
  EXPECT_THAT(csv, HasSubstr("ncclDevKernel_AllReduce_Sum_f32_RING_LL,all_reduce,128,128,,,,80,,,20,"));
  EXPECT_THAT(csv, HasSubstr(",1.5,1.5,"));
}

}  // namespace
}  // namespace echo::overlaps
