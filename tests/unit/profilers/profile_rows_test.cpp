#include "profilers/kernels/profile_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/counter_rng.hpp"
#include "base/error.hpp"
#include "profilers/kernels/launch_table.hpp"

namespace echo::profilers {
namespace {

using ops::KernelKind;

// Launches as a GPU scatters them: two slow at first, then within a few per cent, in a fixed pattern.
std::vector<LaunchTrain> trains_of(double seconds, double clock = 1980.0) {
  std::vector<LaunchTrain> trains;
  for (std::int32_t train = 0; train < 3; ++train) {
    LaunchTrain one{.seconds = {2e-3, 1e-3}, .clock_mhz = clock + 15.0 * train};
    for (std::int32_t i = -4; i <= 4; ++i)
      one.seconds.push_back(std::round(seconds * (1.0 + 0.005 * i) * 1e9) * 1e-9);
    trains.push_back(one);
  }
  return trains;
}

const ops::KernelKey product{.kind = KernelKind::gemm,
                             .layout = ops::GemmLayout::nt,
                             .fp32_accumulate = true,
                             .m = 4096,
                             .n = 4096,
                             .k = 8192},
    norm{.kind = KernelKind::norm_forward, .m = 4096, .n = 4096};

std::vector<KernelRuns> sample_runs() {
  const RunOrigin by_cublas{"cuBLASLt 130100", "echo-profile x.h5; a \"GPU\", driver 1; operands from memory",
                            "2026-11-22 UTC"};
  RunOrigin ours = by_cublas;
  ours.library = "ours";
  return {{"h100-sxm", product, by_cublas, trains_of(1e-3)}, {"h100-sxm", norm, ours, trains_of(2e-5)}};
}

TEST(ProfileOfRuns, IsARowAKernel) {
  const kernels::Profile profile = profile_of(sample_runs());
  ASSERT_EQ(profile.rows.size(), 2u);
  EXPECT_EQ(profile.gpus, std::vector<std::string>{"h100-sxm"});
  EXPECT_EQ(profile.origins.size(), 2u);
  const auto row = std::find_if(profile.rows.begin(), profile.rows.end(),
                                [](const auto& one) { return one.key == product; });
  ASSERT_NE(row, profile.rows.end());
  EXPECT_DOUBLE_EQ(row->seconds, 1e-3);
  EXPECT_NEAR(row->spread, 0.0133, 0.003);  // of nine values 0.5 % apart: two thirds within 1.33 %
  EXPECT_EQ(row->clock_mhz, 1995.0);
  EXPECT_EQ(row->scope, kernels::RowScope::kernel);
  EXPECT_FALSE(row->sustained);
  EXPECT_EQ(profile.origins[static_cast<std::size_t>(row->origin)].library_version, "cuBLASLt 130100");
}

TEST(ProfileOfRuns, LeavesOutWhatNothingCouldMeasure) {
  std::vector<KernelRuns> runs = sample_runs();
  runs[0].trains = {{.seconds = {1e-3, 1e-3, 1e-3}}};  // one is left
  runs[1].trains = trains_of(1e5);
  EXPECT_TRUE(profile_of(runs).rows.empty());
}

TEST(LaunchTable, IsReadAsItWasWritten) {
  std::string text = launch_table_header();
  for (const KernelRuns& runs : sample_runs()) text += launch_table_rows(runs);
  const std::vector<KernelRuns> read = read_launch_table(CsvTable::parse(text, "launches.csv"));
  EXPECT_TRUE(profile_of(read) == profile_of(sample_runs()));
  std::string again = launch_table_header();
  for (const KernelRuns& runs : read) again += launch_table_rows(runs);
  EXPECT_EQ(again, text);
}

TEST(LaunchTable, NamesEveryMistakeWithItsLine) {
  try {
    static_cast<void>(
        read_launch_table(CsvTable::parse("gpu,kind,m,n,clock_mhz,launches_us\n"
                                          "g,rope,8,8,,1 2 x\n"
                                          ",rope,8,8,,1\n"
                                          "g,rop,8,8,,1\n"
                                          "g,rope,8,8,fast,\n"
                                          "g,rope,8,8,,1 -2\n"
                                          "g,rope,8,8,,0.0001\n",
                                          "l.csv")));
    FAIL() << "a bad table was read";
  } catch (const UserError& error) {
    std::vector<std::int32_t> lines;
    for (const Problem& problem : error.problems()) lines.push_back(problem.place.line);
    EXPECT_EQ(lines, (std::vector<std::int32_t>{2, 3, 4, 5, 5, 6, 7}));
    EXPECT_EQ(error.exit_code(), 2);
  }
  EXPECT_THROW(static_cast<void>(read_launch_table(CsvTable::parse("kind,m\nrope,8\n", "l.csv"))), UserError);
}

// What a cut-off copy, a spreadsheet or a fallen cat makes of a table.
std::string mutilated(std::string text, std::uint64_t seed) {
  static constexpr char letters[] = "\0,,\n\"\" .-+e9\xff\r;a";
  const std::string alphabet(letters, sizeof letters - 1);
  for (std::uint64_t i = 0; i < 1 + seed % 7; ++i) {
    const auto at = static_cast<std::size_t>(draw(seed, 1, i) % text.size());
    const auto what = static_cast<std::size_t>(draw(seed, 2, i));
    if (what % 5 == 0)
      text.erase(at, 1 + what % 40);
    else if (what % 5 == 1)
      text.insert(at, 1, alphabet[what / 5 % alphabet.size()]);
    else
      text[at] = alphabet[what / 5 % alphabet.size()];
    if (text.empty()) text = "\n";
  }
  return text;
}

TEST(LaunchTable, OfGarbageIsReadOrRefusedAndGivesSoundRows) {
  std::string text = launch_table_header();
  for (const KernelRuns& runs : sample_runs()) text += launch_table_rows(runs);
  std::int32_t was_read = 0, was_refused = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    try {
      const auto runs = read_launch_table(CsvTable::parse(mutilated(text, seed), "l.csv"));
      for (const kernels::Measurement& row : profile_of(runs).rows)
        ASSERT_EQ(kernels::why_unsound(row), nullptr) << seed;
      ++was_read;
    } catch (const UserError& error) {
      ASSERT_EQ(error.exit_code(), 2) << seed;
      ++was_refused;
    }
  }
  EXPECT_GT(was_read, 100);
  EXPECT_GT(was_refused, 100);
}

}  // namespace
}  // namespace echo::profilers
