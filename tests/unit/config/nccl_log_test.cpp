#include "config/measured/nccl_log.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace echo::config {
namespace {

std::vector<NcclLogRow> read(const std::string& text, const NcclLogHints& hints = {}) {
  return read_nccl_log(text, "run.log", hints);
}

constexpr const char* ranks_of_two_nodes =
    R"(# nThread 1 nGpus 1 minBytes 8 maxBytes 134217728 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0
#
# Using devices
#  Rank  0 Group  0 Pid   1200 on     node-a device  0 [0x07] NVIDIA H100 80GB HBM3
#  Rank  1 Group  0 Pid   1201 on     node-a device  1 [0x0a] NVIDIA H100 80GB HBM3
#  Rank  2 Group  0 Pid   1200 on     node-b device  0 [0x07] NVIDIA H100 80GB HBM3
#  Rank  3 Group  0 Pid   1201 on     node-b device  1 [0x0a] NVIDIA H100 80GB HBM3
NCCL version 2.21.5+cuda12.4
#
#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
     1048576        262144     float     sum      -1    71.93   14.58   21.87      0    70.11   14.96   22.43      0
   134217728      33554432     float     sum      -1    748.3  179.36  269.04      0    749.9  178.98  268.47      0
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 145.4
)";

TEST(NcclLog, KnowsRanksNodesDeviceAndVersion) {
  const auto rows =
      read(std::string("mpirun -np 4 ./build/all_reduce_perf -b 1M -e 128M -f 2\n") + ranks_of_two_nodes);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].collective, "all_reduce");
  EXPECT_EQ(rows[0].gpu, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(rows[0].nodes, 2);
  EXPECT_EQ(rows[0].ranks, 4);
  EXPECT_EQ(rows[0].gpus_per_node, 2);
  EXPECT_EQ(rows[0].nccl_version, 22105);
  EXPECT_EQ(rows[0].bytes, 1048576);
  EXPECT_DOUBLE_EQ(rows[0].us_out, 71.93);
  EXPECT_DOUBLE_EQ(rows[0].us_in, 70.11);
  EXPECT_FALSE(rows[0].one_process);
  EXPECT_EQ(rows[1].line, 15);
}

TEST(NcclLog, LooksThroughThePrefixesOfMpirunAndSrun) {
  const std::string plain = ranks_of_two_nodes;
  const auto want = read(plain, {.collective = "all_reduce"});
  for (const char* prefix : {"[1,0]<stdout>:", "[1,0]<stdout>", "0: ", " 3: "}) {
    std::string text;
    for (std::size_t at = 0; at < plain.size();) {
      const std::size_t end = plain.find('\n', at);
      text += prefix + plain.substr(at, end + 1 - at);
      at = end + 1;
    }
    const auto rows = read(text, {.collective = "all_reduce"});
    ASSERT_EQ(rows.size(), want.size()) << prefix;
    EXPECT_EQ(rows[1].us_in, want[1].us_in) << prefix;
    EXPECT_EQ(rows[1].ranks, 4) << prefix;
  }
}

// 2.8 to 2.10: no root, `error`, a redop that is named and left blank for gathers; one process for eight
// GPUs.
TEST(NcclLog, ReadsTheOldColumnsOfAGather) {
  const auto rows = read(
      R"(# nThread 1 nGpus 8 minBytes 1024 maxBytes 2048 step: 2(factor) warmup iters: 5 iters: 20 validation: 1
# Using devices
#   Rank  0 Pid  4242 on   localhost device  0 [0x00] A100-SXM4-40GB
#   Rank  1 Pid  4242 on   localhost device  1 [0x00] A100-SXM4-40GB
#                                             out-of-place                       in-place
#       size         count    type   redop     time   algbw   busbw  error     time   algbw   busbw  error
#        (B)    (elements)                     (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
        1024           128   float            35.03    0.03    0.03  0e+00    34.15    0.03    0.03  0e+00
       20480          2560   float            10887    0.03    0.03  0e+00    10867    0.03    0.03    N/A
)",
      {.collective = "all_gather"});
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_DOUBLE_EQ(rows[0].us_out, 35.03);
  EXPECT_DOUBLE_EQ(rows[0].us_in, 34.15);
  EXPECT_DOUBLE_EQ(rows[1].us_out, 10887);
  EXPECT_DOUBLE_EQ(rows[1].us_in, 10867);
  EXPECT_TRUE(rows[0].one_process);
  EXPECT_EQ(rows[0].nccl_version, 0);
}

// 2.17 says the library's version in its first line; all-to-all has no in-place time.
TEST(NcclLog, ReadsAnAllToAllWithoutAnInPlaceTime) {
  const auto rows = read(R"(# Collective test starting: alltoall_perf
# nccl-tests version 2.17.1 nccl-headers=22703 nccl-library=22703
# nThread 1 nGpus 1 minBytes 33554432 maxBytes 33554432 step: 2(factor)
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
    33554432        524288     float    none      -1   1047.8   32.02   30.02      0      N/A     N/A     N/A    N/A
)",
                         {.gpu = "b200-sxm", .nodes = 2, .ranks = 16});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].collective, "alltoall");
  EXPECT_EQ(rows[0].nccl_version, 22703);
  EXPECT_EQ(rows[0].us_in, 0.0);
  EXPECT_EQ(rows[0].ranks, 16);
  EXPECT_EQ(rows[0].gpu, "b200-sxm");
}

TEST(NcclLog, DoesWithoutTheLineOfColumnNames) {
  const auto rows = read("8388608 2097152 float sum -1 132.6 63.26 118.62 0 131.9 63.60 119.25 0\n",
                         {.collective = "all_reduce", .gpu = "h100-sxm", .nodes = 2, .ranks = 16});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_DOUBLE_EQ(rows[0].us_out, 132.6);
  EXPECT_DOUBLE_EQ(rows[0].us_in, 131.9);
}

std::string complaint(const std::string& text, const NcclLogHints& hints = {}) {
  try {
    static_cast<void>(read(text, hints));
  } catch (const UserError& error) {
    const Place& place = error.problems().front().place;
    return place.file + ":" + std::to_string(place.line) + ": " + error.what();
  }
  return "";
}

TEST(NcclLog, RefusesRubbishWithItsPlace) {
  const NcclLogHints all{.collective = "all_reduce", .gpu = "h100-sxm", .nodes = 1, .ranks = 8};
  EXPECT_EQ(complaint("hello\nworld\n").substr(0, 9), "run.log:1");
  EXPECT_EQ(complaint("").substr(0, 9), "run.log:1");
  EXPECT_NE(complaint("\n8 2 float sum -1 fast 1 1 0 1 1 1 0\n", all).find("run.log:2: \"fast\""),
            std::string::npos);
  EXPECT_NE(complaint("8 2 float sum -1 -3 1 1 0 1 1 1 0\n", all).find("run.log:1"), std::string::npos);
  const std::string row = "8 2 float sum -1 10.5 1 1 0 1.5 1 1 0\n";
  EXPECT_NE(complaint(row).find("--collective"), std::string::npos);
  EXPECT_NE(complaint(row, {.collective = "all_reduce"}).find("--gpu"), std::string::npos);
  EXPECT_NE(complaint(row, {.collective = "all_reduce", .gpu = "h100-sxm"}).find("--ranks"),
            std::string::npos);
  EXPECT_EQ(complaint(row, all), "");
}

TEST(NcclLog, BecomesATableOfCollectives) {
  const auto rows = read(ranks_of_two_nodes, {.collective = "all_reduce"});
  const std::string table = as_collective_table(rows, {.network = "8x400Gb/s \"IB\""});
  EXPECT_NE(table.find("\"NVIDIA H100 80GB HBM3\",2,2,4,\"all_reduce\",1048576,71.93"), std::string::npos);
  EXPECT_NE(table.find("\"8x400Gb/s \"\"IB\"\"\",2.21.5,"), std::string::npos);
}

}  // namespace
}  // namespace echo::config
