// What echo-overlap does apart from measuring: its options, its plan in words, the process it starts, GPU
// names.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <stdexcept>

#include "base/error.hpp"
#include "profilers/child_process.hpp"
#include "profilers/gpu_name.hpp"
#include "profilers/kernels/kernel_plan.hpp"
#include "profilers/overlap/overlap_options.hpp"
#include "profilers/plan_text.hpp"
#include "profilers/program.hpp"
#include "tests/support/source_dir.hpp"

namespace echo::profilers {
namespace {

std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST(Options, HaveDefaultsThatMeasure) {
  const auto o = parse_options({"out.h5"});
  ASSERT_TRUE(o.has_value());
  EXPECT_EQ(o->out, "out.h5");
  EXPECT_TRUE(o->counters && o->beside.proxy && o->beside.copies && o->beside.nccl);
  EXPECT_FALSE(o->is_dry_run || o->names_beside);
  EXPECT_EQ(o->command, "echo-overlap out.h5");
}

TEST(Options, AreReadAsTyped) {
  const auto o =
      parse_options({"o.h5", "--beside", "proxy,nccl", "--channels", "4,8", "--rates", "50,100", "--budget",
                     "60", "--seed", "9", "--no-counters", "--kernels", "k.csv", "--device", "1"});
  ASSERT_TRUE(o.has_value());
  EXPECT_FALSE(o->beside.copies);
  EXPECT_THAT(o->beside.channels, ::testing::ElementsAre(4, 8));
  EXPECT_THAT(o->beside.link_rates, ::testing::ElementsAre(50e9, 100e9));
  EXPECT_EQ(o->budget, 60.0);
  EXPECT_EQ(o->seed, 9u);
  EXPECT_FALSE(o->counters);
  EXPECT_THAT(counter_arguments(*o),
              ::testing::ElementsAre("--collect-counters", "--device", "1", "--kernels", "k.csv"));
}

TEST(Options, TakeListsAsOneWord) {
  const auto o = parse_options({"--channels", "4,8", "--rates", "50", "--beside", "proxy", "o.h5"});
  ASSERT_TRUE(o.has_value());
  EXPECT_EQ(o->out, "o.h5");
  EXPECT_THAT(o->beside.channels, ::testing::ElementsAre(4, 8));
}

TEST(Options, OfTheChildAreUnderstoodByIt) {
  const auto parent = parse_options({"o.h5", "--device", "2"});
  const auto child = parse_options(counter_arguments(*parent));
  ASSERT_TRUE(child.has_value());
  EXPECT_TRUE(child->collects_counters);
  EXPECT_EQ(child->device, 2);
}

TEST(Options, AreRefusedWithAnExitCodeOfTwo) {
  const std::vector<std::vector<std::string>> bad{{},
                                                  {"o.h5", "--budget", "0"},
                                                  {"o.h5", "--rounds", "0"},
                                                  {"o.h5", "--channels", "-1"},
                                                  {"o.h5", "--rates", "0"},
                                                  {"o.h5", "--beside", "tea"},
                                                  {"o.h5", "--colour"},
                                                  {"o.h5", "--device", "-1"}};
  for (const auto& arguments : bad) {
    try {
      static_cast<void>(parse_options(arguments));
      ADD_FAILURE() << testing::PrintToString(arguments);
    } catch (const UserError& error) {
      EXPECT_EQ(error.exit_code(), 2);
    }
  }
}

int echo_count(const std::vector<std::string>& words) {
  if (words.empty()) throw UserError("no words", "say some", 7);
  if (words.front() == "bug") throw std::runtime_error("a bug");
  return static_cast<int>(words.size());
}

TEST(Program, EndsWithWhatItsWorkReturnsOrThrows) {
  char name[] = "p", one[] = "one", bug[] = "bug";
  char *none[] = {name}, *two[] = {name, one, one}, *broken[] = {name, bug};
  EXPECT_EQ(run_program(3, two, echo_count), 2);
  EXPECT_EQ(run_program(1, none, echo_count), 7);
  EXPECT_EQ(run_program(2, broken, echo_count), 1);
}

TEST(Program, IsAskedToStopByItsFirstSignal) {
  catch_stop_signals();
  EXPECT_FALSE(is_asked_to_stop());
  ASSERT_EQ(std::raise(SIGTERM), 0);
  EXPECT_TRUE(is_asked_to_stop());
  std::signal(SIGINT, SIG_DFL);
}

TEST(PlanText, NamesKernelsCasesAndTime) {
  const std::vector<ops::KernelKey> kernels{{.kind = ops::KernelKind::elementwise, .m = 8192, .n = 8192}};
  const std::vector<double> seconds{97.2e-6};
  const std::vector<CommunicationCase> cases{{.channels = 8, .traffic = {2, 1}, .link_rate = 100e9}};
  const Schedule schedule = fit(all_cells(seconds, 1), seconds, 1.0, 3, 1);
  const std::string text = plan_text(kernels, seconds, cases, schedule);
  EXPECT_THAT(text, ::testing::HasSubstr("97.2 us  elementwise 8192x8192"));
  EXPECT_THAT(text, ::testing::HasSubstr("proxy reduce_scatter 8 channels 100 GB/s"));
  EXPECT_THAT(text, ::testing::HasSubstr("4 cells, 3 rounds: "));
}

TEST(Child, IsReadToTheEnd) {
  const ChildOutput out = run_child("/bin/sh", {"-c", "echo one; echo two; exit 3"}, 10.0);
  EXPECT_EQ(out.text, "one\ntwo\n");
  EXPECT_EQ(out.ended, "exit status 3");
  EXPECT_EQ(run_child("/bin/sh", {"-c", "true"}, 10.0).ended, "");
}

TEST(Child, ThatHangsIsEndedAndItsWordsKept) {
  const ChildOutput out = run_child("/bin/sh", {"-c", "echo one; exec sleep 30"}, 0.3);
  EXPECT_EQ(out.text, "one\n");
  EXPECT_THAT(out.ended, ::testing::HasSubstr("ended after"));
}

TEST(Child, ThatDiesSaysHow) {
  EXPECT_EQ(run_child("/bin/sh", {"-c", "kill -ABRT $$"}, 10.0).ended, "killed by signal 6");
}

TEST(Child, ThatIsNotThereIsAnError) {
  EXPECT_THROW(static_cast<void>(run_child("/nowhere/program", {}, 1.0)), UserError);
}

TEST(GpuName, IsThatOfAPresetInTheCatalog) {
  const std::filesystem::path catalog =
      std::filesystem::path(support::source_dir()) / "sweeps" / "catalog" / "gpus";
  const std::string aliases = read_text(catalog.parent_path() / "aliases.toml");
  const std::regex line("\n\"(NVIDIA [^\"]+)\" *= *\"([^\"]+)\"");
  std::size_t lines = 0;
  for (std::sregex_iterator row(aliases.begin(), aliases.end(), line), end; row != end; ++row, ++lines) {
    EXPECT_EQ(gpu_preset((*row)[1].str()), (*row)[2].str());
    EXPECT_TRUE(std::filesystem::exists(catalog / ((*row)[2].str() + ".toml"))) << (*row)[1];
  }
  EXPECT_GE(lines, 11u);
  EXPECT_EQ(driver_names().size(), lines);
  EXPECT_EQ(gpu_preset("NVIDIA H100 80GB HBM3"), "h100-sxm");
  EXPECT_EQ(gpu_preset("NVIDIA L40S (rev. 2)"), "nvidia-l40s-rev-2");
  EXPECT_EQ(gpu_preset("  "), "unknown");
}

}  // namespace
}  // namespace echo::profilers
