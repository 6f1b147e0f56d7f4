// echo-profile without a GPU: a measured time is made up, all else is what a run does.
#include "profilers/kernels/profile_job.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>

#include "base/error.hpp"
#include "profilers/kernels/duration_guess.hpp"
#include "storage/profile_file.hpp"
#include "tests/support/temp_file.hpp"

namespace echo::profilers {
namespace {

constexpr const char* gaps_table =
    "gpu,kind,m,n,k,share,error\n"
    "h100-sxm,gemm,4096,4096,4096,0.5,0.1\n"
    "h100-sxm,permute,4096,4096,1,0.2,0.1\n"
    "h100-sxm,norm_forward,4096,4096,1,0.1,0.1\n"
    "h100-sxm,rope,4096,4096,1,0.1,0.1\n";

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

double to_the_nanosecond(double seconds) { return std::round(seconds * 1e9) * 1e-9; }

// Trains around what a kernel may take; `slower` times as long.
Measure made_up(bool is_warm = false, double slower = 1.0) {
  return [=](const ops::KernelKey& key) {
    const double seconds = slower * guess_seconds(key);
    LaunchTrain train{.seconds = {2e-3, 2e-3}, .clock_mhz = 1755.0};
    for (int i = 0; i < 10; ++i) train.seconds.push_back(to_the_nanosecond(seconds * (1.0 + 0.001 * i)));
    const RunOrigin origin{"a library", how_text("echo-profile x.h5", "a GPU", is_warm), "a day"};
    return std::vector<KernelRuns>{{"h100-sxm", key, origin, {train, train, train}}};
  };
}

struct ProfileJobTest : ::testing::Test {
  TempFile out{"profile.h5"}, gaps{"gaps.csv"}, launches{"launches.csv"};

  void SetUp() override { std::ofstream(gaps.path) << gaps_table; }
  [[nodiscard]] ProfileOptions options() const {
    ProfileOptions o;
    o.out = out.path.string();
    o.gaps = gaps.path.string();
    o.gpu = "h100-sxm";
    return o;
  }
  // Stops after `most` kernels.
  static MeasuringOutcome run(const ProfileOptions& o, int most = 1000, const Measure& measure = made_up()) {
    ProfileJob job(o);
    int left = most;
    return job.run(
        [&](const ops::KernelKey& key) {
          --left;
          return measure(key);
        },
        [&] { return static_cast<double>(left); });
  }
  [[nodiscard]] kernels::Profile written() const { return storage::read_profile(out.path).profile; }
};

TEST_F(ProfileJobTest, WritesARowForEachKernelThatCanBeRun) {
  const MeasuringOutcome outcome = run(options());
  EXPECT_EQ(outcome.measured, 3);
  EXPECT_EQ(written().rows.size(), 3u);
  EXPECT_EQ(written().gpus, std::vector<std::string>{"h100-sxm"});
  EXPECT_THAT(ProfileJob(options()).plan(), ::testing::HasSubstr("permute: no memory kernel matches this op"));
}

TEST_F(ProfileJobTest, GoesOnWhereItWasCutOff) {
  EXPECT_EQ(run(options(), 1).not_reached, 2);
  EXPECT_EQ(written().rows.size(), 1u);
  EXPECT_EQ(written().rows.front().key.kind, ops::KernelKind::gemm);  // the weightiest
  const MeasuringOutcome rest = run(options());
  EXPECT_EQ(rest.measured, 2);
  EXPECT_TRUE(rest.is_complete());
  EXPECT_EQ(written().rows.size(), 3u);
  EXPECT_TRUE(ProfileJob(options()).kernels().empty());
}

TEST_F(ProfileJobTest, MeasuresAnotherGpuIntoTheSameFile) {
  static_cast<void>(run(options()));
  ProfileJob job(options());
  job.choose_for("a100-sxm-80gb", 80);
  EXPECT_TRUE(job.kernels().empty());  // the gaps are another GPU's
  ProfileOptions grid = options();
  grid.gaps.clear();
  ProfileJob all(grid);
  const std::size_t wanted = all.kernels().size();
  all.choose_for("a100-sxm-80gb", 80);
  EXPECT_LT(all.kernels().size(), wanted);  // no fp8
  EXPECT_GT(all.kernels().size(), wanted / 2);
}

TEST_F(ProfileJobTest, PutsRepeatsSideBySideWhenAsked) {
  static_cast<void>(run(options()));
  ProfileOptions again = options();
  again.is_again = true;
  static_cast<void>(run(again, 1000, made_up(false, 1.1)));
  EXPECT_EQ(written().rows.size(), 6u);
}

TEST_F(ProfileJobTest, MixesNoWarmOperandsWithColdOnes) {
  static_cast<void>(run(options()));
  ProfileOptions warm = options();
  warm.is_warm = true;
  EXPECT_THROW(ProfileJob{warm}, UserError);
  std::filesystem::remove(out.path);
  static_cast<void>(run(warm, 1000, made_up(true)));
  EXPECT_THROW(ProfileJob{options()}, UserError);
  EXPECT_NO_THROW(ProfileJob{warm});
}

TEST_F(ProfileJobTest, IsReplayedFromItsLaunchesByteForByte) {
  ProfileOptions recorded = options();
  recorded.samples = launches.path.string();
  static_cast<void>(run(recorded, 1));
  static_cast<void>(run(recorded));  // appends
  const std::string first = bytes_of(out.path);
  std::filesystem::remove(out.path);
  ProfileOptions replay = options();
  replay.replay = recorded.samples;
  replay.gaps.clear();
  replay.gpu.clear();
  const Measure nothing = [](const ops::KernelKey&) -> std::vector<KernelRuns> {
    throw UserError("a replay has no GPU", "");
  };
  EXPECT_EQ(run(replay, 1000, nothing).measured, 3);
  EXPECT_TRUE(bytes_of(out.path) == first);  // bytes that nobody wants to see printed
}

TEST_F(ProfileJobTest, OfAReplayIsOfOneGpu) {
  std::ofstream(launches.path)
      << "gpu,kind,m,n,launches_us\na,rope,64,64,9 9 5 5 5\nb,rope,64,64,9 9 5 5 5\n";
  ProfileOptions replay = options();
  replay.gaps.clear();
  replay.replay = launches.path.string();
  replay.gpu.clear();
  EXPECT_THROW(ProfileJob{replay}, UserError);
  replay.gpu = "c";
  EXPECT_THROW(ProfileJob{replay}, UserError);
  replay.gpu = "b";
  EXPECT_EQ(run(replay).measured, 1);
  EXPECT_EQ(written().gpus, std::vector<std::string>{"b"});
}

TEST_F(ProfileJobTest, LeavesAFileAloneThatIsNoProfile) {
  std::ofstream(out.path) << "a letter";
  EXPECT_THROW(ProfileJob{options()}, UserError);
  EXPECT_EQ(bytes_of(out.path), "a letter");
}

TEST_F(ProfileJobTest, MeasuresTheGridInAnOrderThatTheSeedChanges) {
  ProfileOptions grid = options();
  grid.gaps.clear();
  const auto order = ProfileJob(grid).kernels();
  EXPECT_EQ(ProfileJob(grid).kernels(), order);
  grid.seed = 2;
  const auto other = ProfileJob(grid).kernels();
  EXPECT_NE(other, order);
  EXPECT_THAT(other, ::testing::UnorderedElementsAreArray(order));
}

TEST(ProfileOptions, AreReadAsTyped) {
  const auto o = parse_profile_options({"p.h5", "--gaps", "g.csv", "--kinds", "gemm,rope", "--budget", "60",
                                        "--repeats", "5", "--warm", "--samples", "s.csv", "--gpu", "x"});
  ASSERT_TRUE(o.has_value());
  EXPECT_EQ(o->out, "p.h5");
  EXPECT_EQ(o->gaps, "g.csv");
  EXPECT_THAT(o->kinds, ::testing::ElementsAre("gemm", "rope"));
  EXPECT_EQ(o->budget, 60.0);
  EXPECT_EQ(o->trains, 5);
  EXPECT_TRUE(o->is_warm && !o->is_again && !o->is_dry_run);
  EXPECT_THAT(o->command, ::testing::StartsWith("echo-profile p.h5 --gaps g.csv"));
}

TEST(ProfileOptions, AreRefusedWithAnExitCodeOfTwo) {
  const std::vector<std::vector<std::string>> bad{{},
                                                  {"p.h5", "--budget", "0"},
                                                  {"p.h5", "--repeats", "0"},
                                                  {"p.h5", "--kinds", "tea"},
                                                  {"p.h5", "--gaps", "a", "--kernels", "b"},
                                                  {"p.h5", "--replay", "a", "--samples", "b"},
                                                  {"p.h5", "--gpu", "H 100"},
                                                  {"p.h5", "--device", "-1"}};
  for (const auto& arguments : bad) {
    try {
      static_cast<void>(parse_profile_options(arguments));
      ADD_FAILURE() << testing::PrintToString(arguments);
    } catch (const UserError& error) {
      EXPECT_EQ(error.exit_code(), 2);
    }
  }
}

}  // namespace
}  // namespace echo::profilers
