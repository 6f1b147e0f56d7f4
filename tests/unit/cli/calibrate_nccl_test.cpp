// Logs made from known constants give these back.
#include "cli/collective/calibrate_nccl.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/error.hpp"
#include "config/measured/measured_collectives.hpp"
#include "tests/support/random_config.hpp"

namespace echo::cli {
namespace {

using collective::NetworkConstants;
using ::testing::HasSubstr;

class CalibrateNccl : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("calibrate-" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) {
    const std::string path = (folder_ / name).string();
    std::ofstream(path) << text;
    return path;
  }

  // What all_reduce_perf would print in a world of these constants.
  std::string log_of(std::int32_t nodes, const NetworkConstants& truth,
                     const std::string& collective = "all_reduce") {
    std::string text = "# nThread 1 nGpus 1\n";
    for (int rank = 0; rank < 8 * nodes; ++rank)
      text += fmt::format("#  Rank {} Group 0 Pid {} on host{} device {} [0x00] NVIDIA H100 80GB HBM3\n",
                          rank, 100 + rank, rank / 8, rank % 8);
    text += "# size count type redop root time algbw busbw #wrong time algbw busbw #wrong\n";
    for (std::int64_t bytes = 8; bytes <= std::int64_t{1} << 33; bytes *= 2) {
      const double us = time_of(nodes, bytes, truth, collective);
      text += fmt::format("{} {} float sum -1 {:.4f} 1 1 0 {:.4f} 1 1 0\n", bytes, bytes / 4, us, us);
    }
    return write(fmt::format("{}nodes-{}_perf.log", nodes, collective), text);
  }

  static double time_of(std::int32_t nodes, std::int64_t bytes, const NetworkConstants& truth,
                        const std::string& collective) {
    const CsvTable table = CsvTable::parse(
        fmt::format("gpu,gpus_per_node,nodes,ranks,collective,size_bytes,time_us_out,network,nccl_version\n"
                    "H100,8,{},{},{},{},1,8x400Gb/s IB,2.21.5\n",
                    nodes, 8 * nodes, collective, bytes),
        "t.csv");
    const auto m = config::read_measured_collectives(table, support::presets()).at(0).measured;
    return to_microseconds(collective::price(m.query, m.links, {}, m.nccl_version, truth).time);
  }

  NcclCalibration run(const std::vector<std::string>& logs) {
    NcclCalibrationRequest request{.logs = logs, .hints = {}, .name = "mine", .date = "2026-01-01"};
    request.hints.network = "8x400Gb/s IB", request.hints.nccl_version = 22105;
    return calibrate_nccl(request, support::presets());
  }

  std::filesystem::path folder_;
};

struct Found {
  double value = 0, error = 0;
  std::string source;
};

Found constant(const std::string& file, const std::string& name) {
  const std::size_t at = file.find("\n" + name + " = { value = ");
  Found out;
  char source[64] = "";
  if (at != std::string::npos)
    static_cast<void>(std::sscanf(file.c_str() + at + 1 + name.size(),
                                  " = { value = %lf, error = %lf, source = \"%63[^\"]", &out.value,
                                  &out.error, source));
  out.source = source;
  return out;
}

NetworkConstants h100() {
  for (const NetworkConstants& k : support::presets().calibration.networks)
    if (k.name == "default-h100") return k;
  return {};
}

TEST_F(CalibrateNccl, GivesBackTheConstantsThatMadeTheLogs) {
  NetworkConstants truth = h100();
  truth.network_rate = 0.55, truth.network_delay = 6.0, truth.network_post = 2.0, truth.network_step = 3.0;
  const NcclCalibration done = run({log_of(1, truth), log_of(2, truth), log_of(2, truth, "all_gather")});
  for (const auto& field : collective::network_constant_fields()) {
    const Found found = constant(done.file_text, field.name);
    if (found.source != "fitted") continue;
    EXPECT_NEAR(found.value, truth.*field.member, 2.0 * found.error + 1e-3 * truth.*field.member)
        << field.name;
  }
  EXPECT_EQ(constant(done.file_text, "network_rate").source, "fitted");
  EXPECT_EQ(constant(done.file_text, "p2p_rate").source, "as default-h100");  // no all-to-all was run
  EXPECT_THAT(done.report, HasSubstr("every other size held out"));
}

// NVLink binds an all-reduce of two nodes with NVLink SHARP: the NICs' rate does not show.
TEST_F(CalibrateNccl, SaysWhenTheNicsRateDoesNotShow) {
  EXPECT_THAT(run({log_of(1, h100()), log_of(2, h100())}).report, HasSubstr("all_gather_perf on two nodes"));
  EXPECT_THAT(run({log_of(2, h100()), log_of(2, h100(), "all_gather")}).report,
              ::testing::Not(HasSubstr("all_gather_perf on two nodes")));
}

TEST_F(CalibrateNccl, OneNodeAloneLeavesTheNetworkBetweenThemAsItWas) {
  const NcclCalibration done = run({log_of(1, h100())});
  EXPECT_EQ(constant(done.file_text, "network_rate").source, "as default-h100");
  EXPECT_THAT(done.report, HasSubstr("no run spans nodes"));
}

TEST_F(CalibrateNccl, RefusesWhatIsNoLog) {
  EXPECT_THROW(static_cast<void>(run({write("a.log", "to be or not to be\n")})), UserError);
  EXPECT_THROW(static_cast<void>(run({(folder_ / "absent.log").string()})), UserError);
}

}  // namespace
}  // namespace echo::cli
