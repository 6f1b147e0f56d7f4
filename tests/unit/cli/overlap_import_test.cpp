#include "cli/slowdown/overlap_import.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "base/error.hpp"
#include "storage/overlap_file.hpp"
#include "tests/support/kernel_fixtures.hpp"
#include "tests/support/sample_overlaps.hpp"
#include "tests/support/temp_file.hpp"
#include "tests/support/trace_file.hpp"

namespace echo::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

config::CatalogInputs two_gpus() {
  config::CatalogInputs presets;
  presets.catalog.gpus = {testing::h100(), testing::h100()};
  presets.catalog.gpus.front().name = "a100-sxm-40gb";
  presets.catalog.gpus.front().sm_count = 108;
  presets.aliases = config::Aliases({{"gpu", "NVIDIA A100-SXM4-40GB", "a100-sxm-40gb"}});
  return presets;
}

// Two runs of one step, what Nsight Compute says of it, and Echo-slowdown's table of another.
struct Files {
  TempFile alone{"alone.sqlite"}, overlapped{"overlapped.sqlite"}, metrics{"ncu.csv"}, table{"echo.csv"};
  Files() {
    testing::write_trace(alone.path,
                         {{"gemm", "void gemm<4>(T1 *)", 1000, 2000}, {"norm", "norm(T1 *)", 2000, 2500}});
    testing::write_trace(overlapped.path,
                         {{"copy", "copy(T1 *)", 900, 1000},
                          {"gemm", "void gemm<4>(T1 *)", 1000, 2500},
                          {"ncclDevKernel_AllReduce_Sum_f32_RING_LL", "ncclDevKernel(x)", 1000, 9000, 0, 20},
                          {"norm", "norm(T1 *)", 2500, 3000}});
    std::ofstream(metrics.path)
        << "ID,Kernel Name,Grid Size,Block Size,sm__throughput.avg.pct_of_peak_sustained_elapsed\n"
           ",,,,%\n"
           "0,void gemm<(int)4>(T1 *),\"(64, 1, 1)\",\"(128, 1, 1)\",87.5\n";
    std::ofstream(table.path)
        << "kShortName,ground_truth,duration,overlap_ratio,SM\ngelu,1000,1100,0.5,108\n";
  }
};

OverlapImport import(const OverlapSources& sources, const OverlapChoices& choices = {}) {
  return import_overlaps(sources, choices, two_gpus());
}

std::vector<std::string> complaints(const OverlapSources& sources, const OverlapChoices& choices = {}) {
  try {
    static_cast<void>(import(sources, choices));
  } catch (const UserError& error) {
    EXPECT_EQ(error.exit_code(), 2);
    std::vector<std::string> said;
    for (const Problem& problem : error.problems()) said.push_back(problem.what + "; " + problem.remedy);
    return said;
  }
  return {};
}

TEST(OverlapImport, RecognisesEachFileByWhatIsInIt) {
  const Files files;
  const OverlapImport read =
      import({.files = {files.metrics.path, files.overlapped.path, files.table.path, files.alone.path}},
             {.gpu = "a100-sxm-40gb",
              .source = "a step",
              .license = "CC0",
              .measured_by = "hand",
              .clock_mhz = 1410});
  ASSERT_EQ(read.data.rows.size(), 3U);
  const slowdown::OverlapRow &gelu = read.data.rows[0], &gemm = read.data.rows[1];
  EXPECT_EQ(gelu.kernel, "gelu");
  EXPECT_EQ(gemm.kernel, "gemm");
  EXPECT_DOUBLE_EQ(gemm.metrics.compute_throughput, 0.875);
  EXPECT_DOUBLE_EQ(gemm.overlap_ratio, 1.0);
  EXPECT_NEAR(slowdown::slowdown_of(gemm), 0.5, 1e-12);
  EXPECT_EQ(gemm.clock_mhz, 1410);
  ASSERT_EQ(read.data.origins.size(), 2U);
  EXPECT_EQ(gemm.origin, 1);
  EXPECT_EQ(read.data.origins[1].source, "a step");
  EXPECT_EQ(read.data.origins[1].license, "CC0");
  for (const slowdown::OverlapRow& row : read.data.rows) EXPECT_EQ(slowdown::why_unsound(row), nullptr);
}

TEST(OverlapImport, SaysWhatItTookAndWhatItLeftOut) {
  const Files files;
  const std::string text =
      import_text(import({.files = {files.metrics.path, files.overlapped.path, files.alone.path}}));
  EXPECT_THAT(text, HasSubstr("Nsight Systems, 2 rows\n"));
  EXPECT_THAT(text, HasSubstr("of 3 kernels that compute"));
  EXPECT_THAT(text, HasSubstr("1 rows with the metrics of"));
  EXPECT_THAT(text, HasSubstr("left out      1  of the overlapped run, without a counterpart alone"));
  EXPECT_THAT(text, HasSubstr("2 rows, 2 with overlap; 2 functions, 2 kernels; a100-sxm-40gb\n"));
  EXPECT_THAT(text, HasSubstr("take 1.5 us alone and 2.0 us overlapped, +33.3 %\n"));
}

TEST(OverlapImport, TakesTheGpuFromTheTraceAndTheSourceFromTheNames) {
  const Files files;
  const OverlapImport read = import({.alone = files.alone.path, .overlapped = files.overlapped.path});
  EXPECT_EQ(read.data.rows.at(0).gpu, "a100-sxm-40gb");
  EXPECT_THAT(read.data.origins.at(0).source, HasSubstr("alone.sqlite and "));
}

TEST(OverlapImport, NamesGoBeforeContent) {
  const Files files;
  testing::run_sql(files.alone.path, "UPDATE StringIds SET value = 'nccl_named' WHERE value = 'norm'");
  EXPECT_THAT(complaints({.files = {files.alone.path, files.overlapped.path}}),
              ElementsAre(HasSubstr("--alone")));
  EXPECT_EQ(import({.files = {files.alone.path, files.overlapped.path}, .alone = files.alone.path})
                .data.rows.size(),
            1U);
}

TEST(OverlapImport, TakesDatasetsAsTheyAre) {
  const TempFile file("data.h5");
  const slowdown::OverlapData data = testing::sample_overlaps();
  static_cast<void>(storage::write_overlaps(file.path, data));
  const Files files;
  const OverlapImport read = import({.files = {files.table.path, file.path}}, {.gpu = "a100-sxm-40gb"});
  ASSERT_EQ(read.data.rows.size(), 1 + data.rows.size());
  EXPECT_EQ(read.data.rows.back().gpu, data.rows.back().gpu);
  EXPECT_EQ(read.data.origins.at(static_cast<std::size_t>(read.data.rows.back().origin)).measured_by,
            data.origins.at(1).measured_by);
}

TEST(OverlapImport, TellsTheProblemsOfEveryFileInOnePass) {
  const Files files;
  const TempFile other("other.csv"), bad("bad.csv");
  std::ofstream(other.path) << "a,b\n1,2\n";
  std::ofstream(bad.path) << "kShortName,ground_truth,duration,overlap_ratio\ngelu,x,1,0\ngelu,1,y,0\n";
  EXPECT_THAT(complaints({.files = {other.path, bad.path, "/nowhere.csv"}}, {.gpu = "a100-sxm-40gb"}),
              ElementsAre(HasSubstr("not a known table of measured overlaps"), HasSubstr("ground_truth"),
                          HasSubstr("duration"), HasSubstr("cannot be read")));
}

TEST(OverlapImport, WhatDoesNotFitTogetherIsRefused) {
  const Files files;
  EXPECT_THAT(complaints({.files = {files.table.path}}), ElementsAre(HasSubstr("pass --gpu NAME")));
  EXPECT_THAT(complaints({.files = {files.table.path}}, {.gpu = "a100-sxm"}),
              ElementsAre(HasSubstr("no preset")));
  EXPECT_THAT(complaints({.files = {files.table.path}}, {.gpu = "h100-sxm"}),
              ElementsAre(HasSubstr("108 SMs")));
  EXPECT_THAT(complaints({.files = {files.alone.path}}), ElementsAre(HasSubstr("name exactly these exports")));
  EXPECT_THAT(complaints({.files = {files.metrics.path}}), ElementsAre(HasSubstr("name exactly these exports")));
  EXPECT_THAT(complaints({}), ElementsAre(HasSubstr("none of the files")));
}

}  // namespace
}  // namespace echo::cli
