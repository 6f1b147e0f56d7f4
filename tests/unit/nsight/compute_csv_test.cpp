#include "nsight/compute_csv.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/nsight/complaint.hpp"

namespace echo::nsight {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// One line as Nsight Compute quotes it.
std::string line(const std::vector<std::string>& cells) {
  std::string out;
  for (const std::string& cell : cells) out += (out.empty() ? "\"" : ",\"") + cell + "\"";
  return out + "\n";
}

// A column of the raw page: name, unit, and what stands in it.
struct Column {
  std::string name, unit, value;
};
const std::vector<Column> raw_columns{
    {"Process ID", "", "77"},
    {"Process Name", "", "python"},
    {"Context", "", "1"},
    {"Block Size", "", "(256, 1, 1)"},
    {"Grid Size", "", "(1,024, 2, 1)"},
    {"Device", "", "0"},
    {"CC", "", "8.0"},
    {"device__attribute_multiprocessor_count", "", "108"},
    {"gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", "%", "66.23"},
    {"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", "%", "30.5"},
    {"l1tex__t_sector_hit_rate.pct", "%", "44.48"},
    {"launch__block_size", "thread", "256"},
    {"launch__grid_size", "", "2,048"},
    {"launch__registers_per_thread", "register/thread", "40"},
    {"launch__shared_mem_per_block_dynamic", "Kbyte/block", "16.38"},
    {"launch__shared_mem_per_block_static", "byte/block", "512"},
    {"lts__t_sector_hit_rate.pct", "%", "100.2"},
    {"sm__inst_executed.sum", "inst", "1,000,000"},
    {"sm__inst_executed_pipe_fma.sum", "inst", "600,000"},
    {"sm__inst_executed_pipe_lsu.sum", "inst", "200,000"},
    {"sm__inst_executed_pipe_tensor.sum", "inst", "0"},
    {"sm__maximum_warps_per_active_cycle_pct", "%", "75"},
    {"sm__throughput.avg.pct_of_peak_sustained_elapsed", "%", "36.48"},
    {"sm__warps_active.avg.pct_of_peak_sustained_active", "%", "65.35"}};

std::string raw_line(std::vector<std::string> cells, std::string Column::*member) {
  for (const Column& column : raw_columns) cells.push_back(column.*member);
  return line(cells);
}
std::string raw_row(const std::string& id, const std::string& name, const std::string& duration) {
  return raw_line({id, name, duration}, &Column::value);
}
const std::string raw_header = raw_line({"ID", "Kernel Name", "gpu__time_duration.sum"}, &Column::name);
const std::string raw_units = raw_line({"", "", "usecond"}, &Column::unit);

std::vector<std::string> complaints(const std::string& text) {
  return complaints_about([&] { static_cast<void>(read_compute_csv(text, "ncu.csv")); });
}

TEST(ComputeCsv, ReadsARawPage) {
  const std::string text = "==PROF== Connected to process 77\nepoch 1, loss 2.5\n" + raw_header + raw_units +
                           raw_row("0", "void at::f<float>(T1 *)", "1,234.5") +
                           "==PROF== Disconnected from process 77\n" + raw_row("1", "gemm", "2.5");
  EXPECT_TRUE(is_compute_csv(text));
  const auto kernels = read_compute_csv(text, "ncu.csv");
  ASSERT_EQ(kernels.size(), 2U);
  const ProfiledKernel& kernel = kernels.front();
  EXPECT_EQ(kernel.name, "f");
  EXPECT_EQ(kernel.full_name, "void at::f<float>(T1 *)");
  EXPECT_EQ(kernel.device, "0");
  EXPECT_DOUBLE_EQ(kernel.seconds, 1.2345e-3);
  EXPECT_DOUBLE_EQ(kernel.metrics.compute_throughput, 0.3648);
  EXPECT_DOUBLE_EQ(kernel.metrics.memory_throughput, 0.6623);
  EXPECT_DOUBLE_EQ(kernel.metrics.dram_throughput, 0.305);
  EXPECT_DOUBLE_EQ(kernel.metrics.achieved_occupancy, 0.6535);
  EXPECT_DOUBLE_EQ(kernel.metrics.maximum_occupancy, 0.75);
  EXPECT_DOUBLE_EQ(kernel.metrics.l1_hit_rate, 0.4448);
  EXPECT_DOUBLE_EQ(kernel.metrics.l2_hit_rate, 1.0);
  EXPECT_DOUBLE_EQ(kernel.metrics.fma_share, 0.6);
  EXPECT_DOUBLE_EQ(kernel.metrics.memory_share, 0.2);
  EXPECT_DOUBLE_EQ(kernel.metrics.tensor_share, 0.0);
  EXPECT_DOUBLE_EQ(kernel.metrics.registers, 40.0);
  EXPECT_DOUBLE_EQ(kernel.metrics.shared_memory, 16380.0 + 512.0);
  EXPECT_DOUBLE_EQ(kernel.metrics.blocks, 2048.0);
  EXPECT_DOUBLE_EQ(kernel.metrics.threads, 256.0);
  EXPECT_EQ(kernel.sm_count, 108);
}

std::string details_row(const std::string& id, const std::string& metric, const std::string& unit,
                        const std::string& value) {
  return line({id, "77", "void g<(int)4>(T1 *)", "(128, 1, 1)", "(64, 1, 1)", "0", "some section", metric,
               unit, value});
}
const std::string details_header =
    line({"ID", "Process ID", "Kernel Name", "Block Size", "Grid Size", "Device", "Section Name",
          "Metric Name", "Metric Unit", "Metric Value"});

TEST(ComputeCsv, ReadsADetailsPage) {
  const auto kernels = read_compute_csv(
      details_header + details_row("0", "DRAM Frequency", "cycle/nsecond", "1.21") +
          details_row("0", "Duration", "ns", "2,848") + details_row("0", "Memory Throughput", "%", "14.26") +
          details_row("0", "Compute (SM) Throughput", "%", "0.09") +
          details_row("1", "Duration", "msecond", "2") +
          details_row("0", "Memory Throughput", "Gbyte/second", "12.94") +
          details_row("0", "L2 Hit Rate", "%", "n/a") + details_row("0", "Theoretical Occupancy", "%", "75") +
          details_row("0", "", "", "") + details_row("0", "# SMs", "SM", "132") +
          details_row("0", "Dynamic Shared Memory Per Block", "Kbyte/block", "1") +
          details_row("0", "Static Shared Memory Per Block", "byte/block", "0"),
      "ncu.csv");
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(kernels[0].name, "g");
  EXPECT_DOUBLE_EQ(kernels[0].seconds, 2.848e-6);
  EXPECT_DOUBLE_EQ(kernels[0].metrics.memory_throughput, 0.1426);  // not the one in bytes per second
  EXPECT_DOUBLE_EQ(kernels[0].metrics.compute_throughput, 0.0009);
  EXPECT_DOUBLE_EQ(kernels[0].metrics.maximum_occupancy, 0.75);
  EXPECT_TRUE(std::isnan(kernels[0].metrics.l2_hit_rate));
  EXPECT_DOUBLE_EQ(kernels[0].metrics.shared_memory, 1000.0);
  EXPECT_DOUBLE_EQ(kernels[0].metrics.blocks, 64.0);  // from the grid's own column
  EXPECT_DOUBLE_EQ(kernels[0].metrics.threads, 128.0);
  EXPECT_EQ(kernels[0].sm_count, 132);
  EXPECT_DOUBLE_EQ(kernels[1].seconds, 2e-3);
}

TEST(ComputeCsv, TellsEveryBadLineInOnePass) {
  const auto said =
      complaints("a banner\n" + raw_header + raw_units + raw_row("0", "gemm", "fast") +
                 raw_row("1", "gemm", "0") + raw_row("2", "", "3") + raw_row("3", "gemm", "1.234,5"));
  EXPECT_THAT(said, ElementsAre(HasSubstr("4: gpu__time_duration.sum: \"fast\""),
                                HasSubstr("7: gpu__time_duration.sum"), HasSubstr("5: durations"),
                                HasSubstr("6: the kernel needs a name")));
}

TEST(ComputeCsv, RefusesUnitsItDoesNotKnowAndPercentagesThatAreNone) {
  EXPECT_THAT(
      complaints(details_header + details_row("0", "Duration", "fortnight", "2") +
                 details_row("0", "L2 Hit Rate", "%", "250")),
      ElementsAre("2: Duration: unknown unit \"fortnight\"", "3: L2 Hit Rate: 250 is not a percentage"));
}

TEST(ComputeCsv, OneWithoutKernelsIsRefused) {
  EXPECT_THAT(complaints(raw_header + raw_units), ElementsAre(HasSubstr("no kernels")));
  EXPECT_FALSE(is_compute_csv("id,kShortName\n"));
  EXPECT_FALSE(is_compute_csv("==ERROR== permission denied\n"));
}

}  // namespace
}  // namespace echo::nsight
