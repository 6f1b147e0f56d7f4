#include "nsight/echo_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "tests/unit/nsight/complaint.hpp"

namespace echo::nsight {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string header =
    "id,kShortName,kDemangledName,ground_truth,duration,overlap_ratio,slowdown,ID,Kernel Name,Compute "
    "throughput,"
    "SM,Memory throughput,DRAM throughput,Achieved occupancy,Maximum occupancy,L1 hit rate,L2 hit rate\n";

EchoTable read(const std::string& rows) {
  return read_echo_table(CsvTable::parse(header + rows, "echo.csv"), "a100-sxm-80gb");
}

std::vector<std::string> complaints(const std::string& rows) {
  return complaints_about([&] { static_cast<void>(read(rows)); });
}

TEST(EchoTable, ReadsARow) {
  const EchoTable table = read(
      "1,gemm,\"void gemm<a, b>(T1 *, "
      "int)\",10000,15000,0.8,0.625,0,gemm,36.48,108,66.23,66.2,65.35,75.0,0.0,100.96\n");
  ASSERT_EQ(table.rows.size(), 1U);
  const slowdown::OverlapRow& row = table.rows.front();
  EXPECT_EQ(row.kernel, "gemm");
  EXPECT_EQ(row.full_name, "void gemm<a, b>(T1 *, int)");
  EXPECT_EQ(row.gpu, "a100-sxm-80gb");
  EXPECT_DOUBLE_EQ(row.alone, 1e-5);
  EXPECT_DOUBLE_EQ(row.overlapped, 1.5e-5);
  EXPECT_DOUBLE_EQ(row.overlap_ratio, 0.8);
  EXPECT_DOUBLE_EQ(row.metrics.compute_throughput, 0.3648);
  EXPECT_DOUBLE_EQ(row.metrics.maximum_occupancy, 0.75);
  EXPECT_EQ(row.metrics.l1_hit_rate, 0.0);
  EXPECT_EQ(row.metrics.l2_hit_rate, 1.0);
  EXPECT_TRUE(std::isnan(row.metrics.registers));
  EXPECT_EQ(row.beside.made_by, slowdown::CommunicationKind::unknown);
  EXPECT_FALSE(row.shape.has_value());
  EXPECT_EQ(table.sm_count, 108);
  EXPECT_EQ(table.above_full, 1);
}

TEST(EchoTable, MetricsMayBeMissing) {
  const EchoTable table = read_echo_table(
      CsvTable::parse("kShortName,ground_truth,duration,overlap_ratio\ngemm,10,12,0\n", "echo.csv"),
      "h100-sxm");
  EXPECT_TRUE(std::isnan(table.rows.at(0).metrics.compute_throughput));
  EXPECT_EQ(table.sm_count, 0);
}

TEST(EchoTable, TellsEveryBadRowInOnePass) {
  const auto said = complaints(
      "1,gemm,,10,12,0.5,0.4,0,gemm,1,108,1,1,1,1,1,1\n"    // right
      "2,gemm,,ten,12,0.5,0.4,0,gemm,1,108,1,1,1,1,1,1\n"   // no number
      "3,gemm,,10,12,0.5,0.5,0,gemm,1,108,1,1,1,1,1,1\n"    // another slowdown
      "4,gemm,,0,12,0.5,,0,gemm,1,108,1,1,1,1,1,1\n"        // no time
      "5,gemm,,10,12,1.5,,0,gemm,1,108,1,1,1,1,1,1\n"       // counted twice
      "6,gemm,,10,12,0.5,0.4,0,other,1,108,1,1,1,1,1,1\n"   // two kernels
      "7,gemm,,10,12,0.5,0.4,0,gemm,120,108,1,1,1,1,1,1\n"  // no percentage
      "8,gemm,,10,12,0.5,0.4,0,gemm,1,132,1,1,1,1,1,1\n"    // another GPU
      "9,,,10,12,0.5,0.4,0,,1,132,1,1,1,1,1,1\n");          // no name
  EXPECT_THAT(said,
              ElementsAre(HasSubstr("3: column ground_truth: \"ten\""), HasSubstr("4: the slowdown is 0.5"),
                          HasSubstr("5: durations"), HasSubstr("6: overlap ratios"),
                          HasSubstr("7: the times belong to \"gemm\" but the metrics to \"other\""),
                          HasSubstr("8: column Compute throughput: 120"), HasSubstr("9: the GPU has 132"),
                          HasSubstr("10: the kernel needs a name")));
}

TEST(EchoTable, StopsListingWhereNobodyReadsOn) {
  std::string rows;
  for (int i = 0; i < 200; ++i) rows += "1,gemm,,x,12,0.5,0.4,0,gemm,1,108,1,1,1,1,1,1\n";
  const auto said = complaints(rows);
  EXPECT_EQ(said.size(), 51U);
  EXPECT_THAT(said.back(), HasSubstr("150 more"));
}

TEST(EchoTable, ItsPartsAreKnownByTheirColumns) {
  EXPECT_TRUE(is_echo_part(CsvTable::parse("ID,Kernel Name,Compute throughput,SM,Memory throughput\n", "a")));
  EXPECT_TRUE(
      is_echo_part(CsvTable::parse("ground_truth,Compute throughput,Memory throughput,slowdown\n", "a")));
  EXPECT_FALSE(is_echo_part(CsvTable::parse("ID,Kernel Name,Grid Size\n", "a")));
}

// The published table (NetX-lab/Echo-slowdown), where it is at hand.
TEST(EchoTable, ReadsThePublishedOne) {
  const char* folder = std::getenv("ECHO_DATA_DIR");
  if (folder == nullptr) GTEST_SKIP() << "ECHO_DATA_DIR is not set";
  const std::string path = std::string(folder) + "/slowdown/echo_a100_gpt2_ddp.csv";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
  const CsvTable csv = CsvTable::read_file(path);
  ASSERT_TRUE(is_echo_table(csv));
  const EchoTable table = read_echo_table(csv, "a100-sxm-80gb");
  ASSERT_EQ(table.rows.size(), 619U);
  EXPECT_EQ(table.sm_count, 108);
  std::int64_t overlapping = 0;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    overlapping += table.rows[row].overlap_ratio > 0.0 ? 1 : 0;
    const double stated = *csv.number(row, "slowdown");
    EXPECT_NEAR(slowdown::slowdown_of(table.rows[row]), stated, 1e-12 * std::max(1.0, std::abs(stated)))
        << row;
  }
  EXPECT_EQ(overlapping, 404);
}

}  // namespace
}  // namespace echo::nsight
