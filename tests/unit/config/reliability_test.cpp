// [reliability] and its presets.
#include <toml++/toml.h>

#include <filesystem>

#include "config/catalog/reliability_file.hpp"
#include "tests/unit/config/sweep_fixture.hpp"

namespace echo::config {
namespace {

using campaign::CheckpointMode;
using campaign::Reliability;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ReliabilitySection : public SweepFile {
 protected:
  ReliabilitySection() {
    const auto shipped = std::filesystem::path(support::source_dir()) / "sweeps/catalog/reliability";
    std::filesystem::copy(shipped, temp_.folder() / "reliability");
  }
  [[nodiscard]] Reliability read(const std::string& section) const {
    return spec("[reliability]\n" + section).terms.reliability;
  }
  // The section's first line is line 6.
  [[nodiscard]] std::vector<std::string> told(const std::string& section) const {
    return problems("[reliability]\n" + section);
  }
};

const std::string enough =
    "node_mtbf = \"50000 h\"\ndetection = \"5 min\"\nrestart = \"10 min\"\n"
    "checkpoint = { write_bandwidth = \"200 GB/s\" }\n";

TEST_F(ReliabilitySection, ReadsItsOwnValues) {
  const Reliability r = read(
      "gpu_mtbf = \"45000 h\"\ndetection = \"5 min\"\nrestart = \"10 min\"\nrepair = \"24 h\"\nspares = 2\n"
      "checkpoint = { every = \"20 min\", node_write_bandwidth = \"2 GB/s\", mode = \"async\", stall = \"3 "
      "s\", "
      "read_bandwidth = \"1 TB/s\" }\n");
  Reliability expected;
  expected.gpu_mtbf = 45000.0 * 3600, expected.detection = 300, expected.restart = 600;
  expected.repair = 86400, expected.spares = 2, expected.every = 1200;
  expected.mode = CheckpointMode::async, expected.mode_is_given = true;
  expected.node_write_bandwidth = 2e9, expected.stall = 3, expected.read_bandwidth = 1e12;
  EXPECT_EQ(r, expected);
  EXPECT_EQ(read(enough).every, 0.0);  // the best
  EXPECT_EQ(read(enough).mode, CheckpointMode::blocking);
}

TEST_F(ReliabilitySection, IsNotThereWithoutIt) { EXPECT_FALSE(spec("").terms.reliability.is_given()); }

TEST_F(ReliabilitySection, TakesFromAPresetWhatItLeavesOpen) {
  const Reliability r = read("preset = \"llama3-h100\"\nrestart = \"4 min\"\n");
  EXPECT_EQ(r.restart, 240.0);
  EXPECT_NEAR(16384.0 / r.gpu_mtbf * 54 * 86400, 466.0, 1.0);
  EXPECT_EQ(r.write_bandwidth, 2e12);
  EXPECT_THAT(told("preset = \"llama3-h10\"\n"),
              ElementsAre(HasSubstr("6:11 unknown reliability preset \"llama3-h10\" | did you mean")));
  EXPECT_THAT(told("preset = \"rsc-1-a100\"\n"),
              ElementsAre(HasSubstr("5:1 [reliability] does not say how fast a checkpoint is written")));
}

TEST_F(ReliabilitySection, SaysAllThatIsMissingInOnePass) {
  EXPECT_THAT(
      told("spares = 0\nrepair = \"1 h\"\n"),
      ElementsAre(HasSubstr("how often machines fail"), HasSubstr("how long a failure goes unnoticed"),
                  HasSubstr("how long a restart takes"), HasSubstr("how fast a checkpoint is written")));
}

TEST_F(ReliabilitySection, RefusesContradictionsWithTheirPlaces) {
  EXPECT_THAT(
      told("gpu_mtbf = \"1 h\"\njob_mtbf = \"1 h\"\nspares = 2\ncheckpoint = { write_time = \"1 s\", "
           "write_bandwidth = \"1 GB/s\", mode = \"blocking\", stall = \"1 s\" }\nmtbf = \"1 h\"\n"),
      ElementsAre(HasSubstr("7:1 two times between failures are given"),
                  HasSubstr("8:10 spares do not run out without a repair time"),
                  HasSubstr("9:30 a checkpoint has a write_time or a bandwidth, not both"),
                  HasSubstr("9:92 stall belongs to mode \"async\""), HasSubstr("10:1 unknown key \"mtbf\"")));
  EXPECT_THAT(told(enough + "repair = \"1 h\"\n"),
              ElementsAre(HasSubstr("repair matters only where spare nodes")));
  EXPECT_THAT(told("gpu_mtbf = 50000\n"), ElementsAre(HasSubstr("6:12 gpu_mtbf needs a unit")));
  EXPECT_THAT(told("gpu_mtbf = \"0 h\"\n"), ElementsAre(HasSubstr("6:13")));
}

TEST_F(ReliabilitySection, RefusesFailuresThatNoRestartSurvives) {
  EXPECT_THAT(told("job_mtbf = \"50 s\"\ndetection = \"5 min\"\nrestart = \"10 min\"\n"
                   "checkpoint = { write_time = \"40 s\" }\n"),
              ElementsAre(HasSubstr("5:1 failures come so often that no job restarts")));
}

TEST_F(ReliabilitySection, IsNeededByItsMetrics) {
  const std::string goal =
      "[[objective]]\nmetric = \"goodput\"\n[[limit]]\nmetric = \"train_time_p90\"\nmax = \"9 d\"\n";
  EXPECT_THAT(problems(goal),
              ElementsAre(HasSubstr("6:11 goodput needs to know how often machines fail"),
                          HasSubstr("8:11 train_time_p90 needs to know how often machines fail"),
                          HasSubstr("8:11 train_time_p90 needs the length of the training")));
  EXPECT_THAT(problems("[target]\ntokens = \"1T tokens\"\n[reliability]\n" + enough + goal), IsEmpty());
}

TEST_F(ReliabilitySection, BelongsToTheSweepItself) {
  static_cast<void>(temp_.sweep("[reliability]\n" + enough, "site.toml"));
  EXPECT_THAT(
      temp_.problems("include = [\"site.toml\"]\n[space]\nmodel = \"gpt3-175b\"\ncluster = \"h800-96\"\n"
                     "global_batch = 96\n"),
      ElementsAre(HasSubstr("must not contain \"reliability\"")));
}

TEST(ReliabilityFileTest, EveryValueSaysWhereItComesFrom) {
  Problems problems;
  const auto table = parse_toml(
      "name = \"lab\"\nsource = \"s\"\ndate = \"d\"\n[reliability]\n"
      "gpu_mtbf = { value = \"1 h\", source = \"s\", grade = \"measured\" }\nrestart = \"1 min\"\n"
      "[reliability.checkpoint]\nwrite_time = { value = \"1 s\", grade = \"assumed\" }\n",
      "lab.toml", problems);
  TableReader reader(*table, {"lab.toml", 1, 1, 0}, "reliability preset", problems);
  const ReliabilityFile file = read_reliability_file(reader);
  EXPECT_EQ(file.spec.gpu_mtbf, 3600.0);
  std::vector<std::string> out;
  for (const Problem& one : problems.list()) out.push_back(std::to_string(one.place.line) + " " + one.what);
  EXPECT_THAT(out, ElementsAre("8 checkpoint, write_time lacks \"source\"",
                               "6 \"restart\" has no value with its source",
                               "8 \"write_time\" has no value with its source"));
}

}  // namespace
}  // namespace echo::config
