#include "nsight/trace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "base/counter_rng.hpp"
#include "tests/support/temp_file.hpp"
#include "tests/support/trace_file.hpp"
#include "tests/unit/nsight/complaint.hpp"

namespace echo::nsight {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::run_sql;
using testing::write_trace;

std::vector<std::string> complaints(const std::filesystem::path& path) {
  return complaints_about([&] { static_cast<void>(read_trace(path)); });
}

const std::vector<testing::ExportedKernel> three{
    {.name = "gemm", .full_name = "void gemm<float>(T1 *)", .start = 300, .end = 400},
    {.name = "norm", .full_name = "void norm<4>(T1 *)", .start = 100, .end = 250, .blocks = 9, .threads = 32},
    {.name = "ncclDevKernel_AllReduce",
     .full_name = "ncclDevKernel_AllReduce(x)",
     .start = 200,
     .end = 900,
     .stream = 20}};

TEST(Trace, ReadsKernelsInTheOrderOfTheirStart) {
  const TempFile file("trace.sqlite");
  write_trace(file.path, three);
  const Trace trace = read_trace(file.path);
  ASSERT_EQ(trace.kernels.size(), 3U);
  const TracedKernel& first = trace.kernels.front();
  const KernelNames& names = trace.names.at(static_cast<std::size_t>(first.name));
  EXPECT_EQ(names.name, "norm");
  EXPECT_EQ(names.full_name, "void norm<4>(T1 *)");
  EXPECT_FALSE(names.communicates);
  EXPECT_EQ(first.start, 100);
  EXPECT_EQ(first.duration(), 150);
  EXPECT_EQ(first.blocks, 9);
  EXPECT_EQ(first.threads, 32);
  EXPECT_EQ(first.registers, 40);
  EXPECT_EQ(first.shared_memory, 1536);
  EXPECT_TRUE(trace.names.at(static_cast<std::size_t>(trace.kernels[1].name)).communicates);
  EXPECT_EQ(trace.gpu, "NVIDIA A100-SXM4-40GB");
  EXPECT_EQ(trace.sm_count, 108);
}

TEST(Trace, NamesNoGpuWhereTheyDiffer) {
  const TempFile file("trace.sqlite");
  write_trace(file.path, three);
  run_sql(file.path, "INSERT INTO TARGET_INFO_GPU VALUES (1, 'NVIDIA H100 PCIe', 114)");
  EXPECT_EQ(read_trace(file.path).gpu, "");
}

TEST(Trace, TellsTheGpusOfProcessesThatEachSeeOne) {
  const TempFile file("trace.sqlite");
  write_trace(file.path, three);
  run_sql(file.path,
          "CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER, pid INTEGER);"
          "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (3, 0, 77);"
          "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET globalPid = (5 << 48) + (77 << 24) WHERE start = 300");
  const Trace trace = read_trace(file.path);
  EXPECT_EQ(trace.kernels.front().device, 0);
  EXPECT_EQ(trace.kernels.back().device, 3);
}

TEST(Trace, LeavesOutWhatCouldNotBeTimed) {
  const TempFile file("trace.sqlite");
  write_trace(file.path, three);
  run_sql(file.path, "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = 0, \"end\" = 0 WHERE start = 300");
  const Trace trace = read_trace(file.path);
  EXPECT_EQ(trace.kernels.size(), 2U);
  EXPECT_EQ(trace.without_time, 1);
}

TEST(Trace, TellsEveryBadRowInOnePass) {
  const TempFile file("trace.sqlite");
  write_trace(file.path, three);
  run_sql(file.path,
          "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = 'early' WHERE start = 300;"
          "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET \"end\" = 100 WHERE start = 100;"
          "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET deviceId = -1 WHERE start = 200");
  EXPECT_THAT(complaints(file.path),
              ElementsAre(HasSubstr("row 1 of"), HasSubstr("row 2 of"), HasSubstr("deviceId")));
}

TEST(Trace, AKernelWithoutANameIsRefused) {
  const TempFile file("trace.sqlite");
  write_trace(file.path, three);
  run_sql(file.path, "DELETE FROM StringIds");
  EXPECT_THAT(complaints(file.path),
              ElementsAre(HasSubstr("no name"), HasSubstr("no name"), HasSubstr("no name")));
}

TEST(Trace, AnExportOfSomethingElseIsRefused) {
  const TempFile file("trace.sqlite");
  run_sql(file.path, "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT)");
  EXPECT_THAT(complaints(file.path), ElementsAre(HasSubstr("no table CUPTI_ACTIVITY_KIND_KERNEL")));
  run_sql(file.path, "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER)");
  EXPECT_THAT(complaints(file.path), ElementsAre(HasSubstr("no column end")));
  EXPECT_THAT(complaints("/nowhere.sqlite"), ElementsAre(HasSubstr("cannot be read")));
}

// A view may compute for ever; a table cannot.
TEST(Trace, AViewInTheTablesPlaceIsRefused) {
  const TempFile file("trace.sqlite");
  run_sql(file.path,
          "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
          "CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS WITH RECURSIVE n(start) AS (SELECT 1 UNION ALL SELECT "
          "start + 1 "
          "FROM n) SELECT start, start + 1 AS \"end\", 0 AS deviceId, 0 AS streamId, 1 AS shortName FROM n");
  EXPECT_THAT(complaints(file.path), ElementsAre(HasSubstr("no table CUPTI_ACTIVITY_KIND_KERNEL")));
}

// Bytes changed at random, or cut off: a trace or a complaint.
TEST(Trace, DamagedFilesAreRefusedOrRead) {
  const TempFile file("trace.sqlite");
  write_trace(file.path, three);
  std::ifstream in(file.path, std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(in), {}};
  std::int32_t refused = 0;
  for (std::uint64_t i = 0; i < 600; ++i) {
    std::string changed = whole;
    for (std::uint64_t flips = 0; flips <= i % 20; ++flips)
      changed[mix(1000 * i + flips) % changed.size()] = static_cast<char>(mix(1000 * i + flips + 500));
    if (i % 5 == 0) changed.resize(mix(i) % changed.size());
    std::ofstream(file.path, std::ios::binary) << changed;
    refused += complaints(file.path).empty() ? 0 : 1;
  }
  EXPECT_GT(refused, 120);
}

}  // namespace
}  // namespace echo::nsight
