#include "profilers/overlap/overlap_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "storage/overlap_file.hpp"

namespace echo::profilers {
namespace {

using slowdown::OverlapRow;

const CommunicationCase paced{.channels = 8, .traffic = {2, 1}, .link_rate = 100e9};
const CommunicationCase idle{.channels = 4, .traffic = {0, 0}, .link_rate = 12e9};

OverlapTables tables() {
  return {.gpu = "h100-sxm",
          .kernels = {{.key = {.kind = ops::KernelKind::gemm, .m = 4096, .n = 4096, .k = 4096},
                       .name = "nvjet_tst_128x256",
                       .metrics = {}}},
          .cases = {paced, idle},
          .nccl_algorithm = {},
          .nccl_protocol = {}};
}

std::vector<Sample> samples(double seconds, double beside, std::size_t count) {
  return std::vector<Sample>(count, Sample{seconds, beside});
}

// A kernel of 100 us that takes 130 us beside the paced proxy and 110 us beside the idle one; the proxy takes
// 4.4 ms instead of 4.
std::vector<CellResult> results() {
  const std::vector<Sample> train = samples(100e-6, 0.0, 40);
  std::vector<Sample> beside = samples(130e-6, 1.0, 30);
  beside.push_back({115e-6, 0.5});  // the proxy ended
  for (const Sample& late : samples(100e-6, 0.0, 9)) beside.push_back(late);
  return {
      {.cell = {0, nothing, 4}, .kernel = train, .communication = {}, .clocks_mhz = {1900, 1980}},
      {.cell = {0, control, 4}, .kernel = samples(101e-6, 0.0, 40), .communication = {}, .clocks_mhz = {}},
      {.cell = {0, 0, 4},
       .kernel = beside,
       .communication = {{4.4e-3, 0.9}},
       .clocks_mhz = {1755, 1700, 1800},
       .channels = 8,
       .threads = 512,
       .payload = 400e6},
      {.cell = {0, 1, 4},
       .kernel = samples(110e-6, 0.99, 30),
       .communication = {{4e-3, 0.9}},
       .clocks_mhz = {},
       .channels = 4,
       .threads = 512,
       .payload = 48e6},
      {.cell = {nothing, 0, 4}, .kernel = {}, .communication = {{4e-3, 0.0}}, .clocks_mhz = {}},
      {.cell = {nothing, 1, 4}, .kernel = {}, .communication = {{4e-3, 0.0}}, .clocks_mhz = {}}};
}

TEST(OverlapRows, SayWhatWasMeasured) {
  const std::vector<OverlapRow> rows = overlap_rows(tables(), results());
  ASSERT_EQ(rows.size(), 3u);
  const OverlapRow& row = rows[1];
  EXPECT_EQ(row.kernel, "nvjet_tst_128x256");
  EXPECT_DOUBLE_EQ(row.alone, 100e-6);
  EXPECT_DOUBLE_EQ(row.overlapped, 130e-6);
  EXPECT_DOUBLE_EQ(row.overlap_ratio, 1.0);
  EXPECT_NEAR(slowdown_of(row), 0.3, 1e-12);
  EXPECT_EQ(row.repeats, 30);
  EXPECT_DOUBLE_EQ(row.clock_mhz, 1755);
  EXPECT_EQ(row.beside.channels, 8);
  EXPECT_EQ(row.beside.threads, 512);
  EXPECT_DOUBLE_EQ(row.beside.link_rate, 100e9);
  EXPECT_DOUBLE_EQ(row.beside.memory_rate, 3 * 400e6 / 4e-3);
  EXPECT_DOUBLE_EQ(row.beside.alone, 4e-3);
  EXPECT_DOUBLE_EQ(row.beside.overlapped, 4.4e-3);
  // 0.44 ms of 4.4 ran alone, so 3.56 ms worth of it ran beside the kernel.
  EXPECT_DOUBLE_EQ(row.beside.overlap_ratio, 3.56 / 4.0);
}

TEST(OverlapRows, TellAnIdleProxyThatMovesNothing) {
  const OverlapRow row = overlap_rows(tables(), results())[2];
  EXPECT_EQ(row.beside.channels, 4);
  EXPECT_EQ(row.beside.memory_rate, 0.0);
  EXPECT_EQ(row.beside.payload, 0.0);
  EXPECT_TRUE(std::isnan(row.beside.link_rate));
}

TEST(OverlapRows, HaveAControlWithoutOverlap) {
  const OverlapRow row = overlap_rows(tables(), results())[0];
  EXPECT_EQ(row.overlap_ratio, 0.0);
  EXPECT_EQ(row.beside.channels, 0);
  EXPECT_DOUBLE_EQ(row.alone, 100e-6);
  EXPECT_DOUBLE_EQ(row.overlapped, 101e-6);
}

TEST(OverlapRows, NeedReferencesAndThreeLaunchesWithCommunication) {
  std::vector<CellResult> without_alone = results();
  without_alone.erase(without_alone.begin());
  EXPECT_TRUE(overlap_rows(tables(), without_alone).empty());
  std::vector<CellResult> short_overlap = results();
  short_overlap[2].kernel.resize(2);
  EXPECT_EQ(overlap_rows(tables(), short_overlap).size(), 2u);
}

TEST(OverlapRows, AreWrittenAndReadBack) {
  slowdown::OverlapData data{.origins = {{"measured by echo-overlap", "", "a test"}},
                             .rows = overlap_rows(tables(), results())};
  for (const OverlapRow& row : data.rows) EXPECT_EQ(why_unsound(row), nullptr);
  const auto path = std::filesystem::temp_directory_path() / "echo_overlap_rows_test.h5";
  storage::write_overlaps(path, data);
  const slowdown::OverlapData read = storage::read_overlaps(path).data;
  std::filesystem::remove(path);
  ASSERT_EQ(read.rows.size(), data.rows.size());
  for (std::size_t i = 0; i < data.rows.size(); ++i) {
    EXPECT_EQ(read.rows[i].shape, data.rows[i].shape);
    EXPECT_EQ(read.rows[i].overlapped, data.rows[i].overlapped);
    EXPECT_EQ(read.rows[i].beside.channels, data.rows[i].beside.channels);
  }
}

// A GPU that slows a kernel by `kernel_factor` and communication by `other_factor` exactly while both run.
// The communication starts first; launches follow each other with a gap.
struct SlowGpu {
  double kernel = 100e3, other = 4e6, kernel_factor = 1.3, other_factor = 1.1;  // ns alone
  std::int64_t head = 20000, gap = 1000;

  std::vector<GpuRecord> run(std::int32_t launches, bool has_other) const {
    std::vector<GpuRecord> records;
    double left = has_other ? other : 0.0, now = static_cast<double>(head);
    left = std::max(0.0, left - now);  // alone until the first launch
    double other_end = now;
    for (std::int32_t i = 0; i < launches; ++i) {
      const double start = now;
      const double together = std::min(left * other_factor, kernel * kernel_factor);
      left -= together / other_factor;
      if (left < 1e-3) left = 0.0;  // of a nanosecond, by rounding
      now += together + (kernel - together / kernel_factor);
      if (together > 0.0) other_end = start + together;
      records.push_back(record("gemm", start, now));
      const double alone_now = std::min(left, static_cast<double>(gap));
      left -= alone_now;
      if (alone_now > 0.0) other_end = now + alone_now;
      now += static_cast<double>(gap);
    }
    if (left > 0.0) other_end = now + left;
    if (has_other) records.push_back(record("echo_communication_proxy", 0.0, other_end));
    return records;
  }

  static GpuRecord record(const char* name, double start, double end) {
    return {.kind = RecordKind::kernel,
            .name = name,
            .when = {std::llround(start), std::llround(end)},
            .shape = {.blocks = 8, .threads = 512}};
  }
};

TEST(OverlapRows, FindTheFactorsOfASimulatedGpu) {
  for (const double kernel_factor : {1.0, 1.25, 3.0})
    for (const double other_factor : {1.0, 1.4}) {
      const SlowGpu gpu{.kernel_factor = kernel_factor, .other_factor = other_factor};
      const auto outcome = [&](Cell cell, std::int32_t launches, bool has_other) {
        CellResult result{.cell = cell};
        CellRun run{.launches = launches};
        if (has_other) run.beside = CommunicationKind::proxy;
        add_run(result, read_cell(gpu.run(launches, has_other), run));
        result.payload = 400e6;
        return result;
      };
      const std::vector<CellResult> measured{outcome({0, nothing, 4}, 50, false),
                                             outcome({0, 0, 4}, 50, true), outcome({nothing, 0, 4}, 0, true)};
      const std::vector<OverlapRow> rows = overlap_rows(tables(), measured);
      ASSERT_EQ(rows.size(), 1u);
      EXPECT_NEAR(slowdown_of(rows[0]), kernel_factor - 1.0, 1e-4);
      const slowdown::Communication& beside = rows[0].beside;
      const double communication_slowdown =
          (beside.overlapped - beside.alone) / (beside.overlap_ratio * beside.alone);
      EXPECT_NEAR(communication_slowdown, other_factor - 1.0, 1e-3);
    }
}

TEST(AddRun, LeavesTheFirstTwoLaunchesOut) {
  CellResult result;
  CellSamples run;
  run.kernel = samples(1e-3, 0.0, 10);
  run.communication = samples(2e-3, 1.0, 1);
  add_run(result, run);
  add_run(result, run);
  EXPECT_EQ(result.kernel.size(), 16u);
  EXPECT_EQ(result.communication.size(), 2u);
  run.kernel.resize(1);
  add_run(result, run);
  EXPECT_EQ(result.kernel.size(), 16u);
}

}  // namespace
}  // namespace echo::profilers
