#include "config/measured/measured_collectives.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/random_config.hpp"

namespace echo::config {
namespace {

using ::testing::HasSubstr;

const std::string header =
    "gpu,gpus_per_node,nodes,ranks,collective,size_bytes,time_us_out,time_us_in,network,nccl_version,note\n";

MeasuredCollectiveRow row_of(const std::string& line) {
  const CsvTable table = CsvTable::parse(header + line + "\n", "t.csv");
  EXPECT_TRUE(is_collective_table(table));
  return read_measured_collectives(table, support::presets()).at(0);
}

TEST(MeasuredCollectives, PlaceARowOnItsClusterAndNetwork) {
  const auto azure = row_of(
      "A100-SXM4-40GB,8,4,32,all_reduce,1048576,131.8,149.5,\"8x IB HDR 200Gb/s per node (Azure ND A100 "
      "v4)\",unknown,");
  EXPECT_EQ(azure.constants.name, "azure-nd-a100-v4");
  EXPECT_EQ(azure.measured.query.group.nodes, 4);
  EXPECT_EQ(azure.measured.query.group.ranks_per_node, 8);
  EXPECT_NEAR(azure.measured.links.scale_out.bandwidth.value, 200e9, 1.0);
  EXPECT_EQ(azure.measured.links.nics, 8);
  EXPECT_NEAR(azure.measured.seconds, 131.8e-6, 1e-12);
  EXPECT_TRUE(azure.is_steady());
  EXPECT_EQ(azure.assumed, "");

  const auto efa = row_of("H100-SXM5-80GB,8,2,16,all_reduce,1048576,119.7,300,EFA 32x100Gb/s,2.18.5,");
  EXPECT_EQ(efa.constants.name, "aws-efa-h100");
  EXPECT_EQ(efa.measured.links.nics, 8);  // four NICs of a GPU act as one
  EXPECT_NEAR(efa.measured.links.scale_out.bandwidth.value, 400e9, 1.0);
  EXPECT_EQ(efa.measured.nccl_version, 21805);
  EXPECT_FALSE(efa.is_steady());
  EXPECT_EQ(row_of("H100-SXM5-80GB,8,1,8,alltoall,1048576,30,N/A,NVSwitch,2.23,").constants.name,
            "default-h100");
}

TEST(MeasuredCollectives, ARackIsOneDomainAndTwoRacksAreTwo) {
  const auto rack = row_of("GB200,4,18,72,alltoall,1073741824,900,,NVL72,2.27.3,");
  EXPECT_EQ(rack.measured.query.group.nodes, 1);
  EXPECT_EQ(rack.assumed, "");
  EXPECT_EQ(rack.measured.query.group.ranks_per_node, 72);
  const auto racks = row_of("GB200,4,32,128,alltoall,1073741824,900,,4x400Gb/s IB,2.27.3,");
  EXPECT_EQ(racks.measured.query.group.nodes, 2);
  EXPECT_EQ(racks.measured.query.group.ranks_per_node, 64);
  EXPECT_NEAR(racks.measured.links.scale_out.bandwidth.value, 64 * 50e9, 1.0);
}

TEST(MeasuredCollectives, SayWhatTheyAssumed) {
  const auto blackwell = row_of("B200-SXM,8,2,16,all_gather,1048576,80,,EFA 8x400Gb/s,2.27.3,");
  EXPECT_EQ(blackwell.constants.name, "default-b200 on aws-efa-h100");
  EXPECT_THAT(blackwell.assumed, HasSubstr("the fabric of aws-efa-h100"));
  const auto strange = row_of("H100 NVL custom,8,2,16,all_reduce,1048576,80,,carrier pigeons,unknown,");
  EXPECT_EQ(strange.constants.name, "default-h100");
  EXPECT_THAT(strange.assumed, HasSubstr("H100 NVL custom as h100-sxm"));
  EXPECT_THAT(strange.assumed, HasSubstr("carrier pigeons"));
  const auto slot = row_of("H100-PCIE-80GB,8,1,8,all_reduce,1048576,80,,,2.19.3,1 process -g 8");
  EXPECT_NEAR(slot.measured.links.scale_up.bandwidth.value, 64e9, 1.0);
  EXPECT_TRUE(slot.one_process);
  EXPECT_EQ(row_of("TPU v9,8,1,8,all_reduce,1048576,80,,,,").skipped, "no preset for gpu TPU v9");
}

TEST(MeasuredCollectives, LeaveOutWhatCannotBePriced) {
  EXPECT_EQ(row_of("H100-SXM5-80GB,8,1,8,hypercube,1048576,80,,,,").skipped,
            "collective hypercube is not priced");
  EXPECT_EQ(row_of("H100-SXM5-80GB,8,1,1,all_reduce,1048576,80,,,,").skipped, "one rank");
  EXPECT_EQ(row_of("H100-SXM5-80GB,8,1,8,all_reduce,0,80,,,,").skipped, "no bytes");
  EXPECT_EQ(row_of("H100-SXM5-80GB,8,1,8,all_reduce,8,,,,,").skipped, "no time");
  EXPECT_NE(row_of("H100-SXM5-80GB,8,1,8,all_reduce,8,9,,,,do not use").skipped, "");
}

TEST(MeasuredCollectives, RefuseWhatNoRunCanHave) {
  for (const char* line :
       {"H100,8,0,8,all_reduce,8,9,,,,", "H100,8,1,-3,all_reduce,8,9,,,,", "H100,8,16,8,all_reduce,8,9,,,,",
        "H100,8,1,8,all_reduce,8.5,9,,,,", "H100,8,1,8,all_reduce,-1,9,,,,", "H100,8,1,8,all_reduce,8,-9,,,,",
        "H100,-8,1,8,all_reduce,x,9,,,,", "H100,8,1,8,all_reduce,8,fast,,,,"})
    EXPECT_THROW(static_cast<void>(row_of(line)), UserError) << line;
}

}  // namespace
}  // namespace echo::config
