#include "slowdown/profile_rows.hpp"

#include <gtest/gtest.h>

namespace echo::slowdown {
namespace {

constexpr const char* header =
    "row_kind,gpu,sm_count,world_size,class,ctas,threads_per_cta,regs,smem_bytes,ov_frac,comm_kind,comm_ctas,"
    "comm_algbw_GBps,alone_median_us,slowdown,recommended,run_group\n";

std::vector<ProfileRow> rows_of(const std::string& lines) {
  return read_profile_rows(CsvTable::parse(header + lines, "overlaps.csv"));
}

TEST(ProfileRows, AProductRunsInRoundsOfWhatFitsOneSm) {
  const auto rows =
      rows_of("compute,Tesla V100-SXM2-16GB,80,4,gemm,2176,256,128,16384,1,all_reduce,8,,2500,1.1,1,a\n");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].why_not, "");
  EXPECT_TRUE(rows[0].multiplies && rows[0].recommended);
  EXPECT_DOUBLE_EQ(rows[0].kernel.blocks, 2176 / 2.0);  // 65536 registers hold two blocks
  EXPECT_EQ(rows[0].collective.channels, 8);
  EXPECT_EQ(rows[0].collective.memory_rate, 0.0);  // its size is not known
  EXPECT_EQ(rows[0].machine.sm_count, 80);
  EXPECT_DOUBLE_EQ(rows[0].machine.memory_bandwidth, 900e9);
}

TEST(ProfileRows, AnAllReduceMovesThreeBytesForEachOnTheBus) {
  const auto rows = rows_of(
      "compute,A100-SXM4-80GB,108,8,reduction,2,128,50,2064,1,all_reduce,24,100,10,3,1,a\n"
      "compute,A100-SXM4-80GB,108,8,reduction,2,128,50,2064,1,all_to_all,24,100,10,2,1,a\n");
  EXPECT_DOUBLE_EQ(rows[0].collective.memory_rate, 3.0 * 2.0 * 7 / 8 * 100e9);
  EXPECT_DOUBLE_EQ(rows[1].collective.memory_rate, 3.0 * 7 / 8 * 100e9);
  EXPECT_EQ(rows[0].kernel.compute_bound, 0.0);
}

TEST(ProfileRows, NormsOfResidentBlocksNeedASecondRound) {
  const auto rows = rows_of(
      "compute,H800,132,256,norm,132,128,200,1024,1,ep_combine,20,,98,1.9,1,a\n"
      "compute,H800,132,256,norm,4096,128,200,1024,1,ep_combine,20,,98,1.2,1,a\n");
  EXPECT_EQ(rows[0].kernel.blocks, 132.0);
  EXPECT_EQ(rows[1].kernel.blocks, 0.0);
  EXPECT_GT(rows[0].collective.memory_rate, 0.0);  // DeepEP's own
}

TEST(ProfileRows, RowsThatCannotBePredictedSayWhy) {
  const auto rows = rows_of(
      "comm,H800,132,256,comm,20,128,,,1,all_reduce,20,,98,1.9,1,a\n"
      "compute,Unheard-of 9000,132,256,norm,132,128,,,1,all_reduce,20,,98,1.9,1,a\n"
      "compute,H800,,256,norm,132,128,,,1,all_reduce,20,,98,1.9,1,a\n"
      "compute,H800,132,256,norm,132,128,,,1,all_reduce,20,,98,,1,a\n");
  for (const ProfileRow& row : rows) EXPECT_NE(row.why_not, "") << row.number;
  EXPECT_EQ(rows[3].number, 4U);
}

TEST(ProfileRows, EveryImpossibleCellIsReportedAtOnce) {
  try {
    (void)rows_of(
        "compute,H800,132,256,norm,132,128,,,1.5,all_reduce,20,,98,1.9,1,a\n"
        "nothing,H800,132,256,norm,132,128,,,1,all_reduce,20,,98,-1,1,a\n");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_EQ(error.problems().size(), 3U);
  }
}

TEST(ProfileRows, OnlyTheOverlappedShareIsSlowed) {
  EXPECT_DOUBLE_EQ(slowdown_beside({.beside = 1.0}, 1.5), 1.5);
  EXPECT_DOUBLE_EQ(slowdown_beside({.beside = 0.0}, 1.5), 1.0);
  // 10 us alone, the first 4 us of its work take 8: 8 of 14 us are beside.
  EXPECT_DOUBLE_EQ(slowdown_beside({.beside = 8.0 / 14.0}, 2.0), 1.4);
}

}  // namespace
}  // namespace echo::slowdown
