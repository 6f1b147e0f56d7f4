// [[limit]], [[objective]] and the settings: [target], [search], [simulate], [run].
#include "config/sweep_file/goal_reader.hpp"
#include "tests/unit/config/sweep_fixture.hpp"

namespace echo::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Goals = SweepFile;

TEST_F(Goals, ReadLimitsInTheOrderOfTheFile) {
  const auto read = spec(
      "[target]\ntokens = \"1T tokens\"\n[[limit]]\nmetric = \"mem_peak\"\nmax = \"0.92 * gpu.memory\"\n"
      "[[limit]]\nname = \"soon\"\nmetric = \"train_time\"\nmax = \"30 d\"\n"
      "[[limit]]\nmetric = \"mfu\"\nmin = 0.25\n");
  ASSERT_EQ(read.limits.size(), 3u);
  EXPECT_EQ(read.limits[0], (sweep::Limit{"mem_peak", "mem_peak", "0.92 * gpu.memory", ""}));
  EXPECT_EQ(read.limits[1], (sweep::Limit{"soon", "train_time", "30 d", ""}));
  EXPECT_EQ(read.limits[2], (sweep::Limit{"mfu", "mfu", "", "0.25"}));
  EXPECT_EQ(read.terms.target_tokens, 1e12);
}

TEST_F(Goals, RefuseALimitThatSaysTooLittleOrTooMuch) {
  const auto limit = [&](const std::string& text) { return problems("[[limit]]\n" + text); };
  EXPECT_THAT(limit("metric = \"mfu\""), ElementsAre(HasSubstr("5:1 this limit has no bound")));
  EXPECT_THAT(limit("metric = \"mfu\"\nmax = 1\nmin = 0"),
              ElementsAre(HasSubstr("8:7 a limit has max or min, not both")));
  EXPECT_THAT(limit("max = 1"), ElementsAre(HasSubstr("5:1 [[limit]] lacks \"metric\"")));
  EXPECT_THAT(limit("metric = \"mem_peek\"\nmax = \"1 GiB\""),
              ElementsAre("6:11 unknown metric \"mem_peek\" | did you mean \"mem_peak\"?"));
  EXPECT_THAT(limit("metric = \"mfu\"\nmaxx = 1\nmin = 0"),
              ElementsAre("7:1 unknown key \"maxx\" in [[limit]] | did you mean \"max\"?"));
  EXPECT_THAT(limit("metric = \"mfu\"\nmax = true"),
              ElementsAre(HasSubstr("7:7 max must be an expression in a string, not a boolean")));
  EXPECT_THAT(limit("metric = \"mfu\"\nmax = 1\n[[limit]]\nmetric = \"mfu\"\nmin = 0"),
              ElementsAre("8:1 two limits have the name \"mfu\" | rename one of them"));
  EXPECT_THAT(limit("metric = \"train_time\"\nmax = \"30 d\""),
              ElementsAre(HasSubstr("6:11 train_time needs the length of the training")));
}

TEST_F(Goals, OfferTheReadingsOfABareBound) {
  const auto told = [&](const std::string& metric, const std::string& bound) {
    return problems("[[limit]]\nmetric = \"" + metric + "\"\nmax = " + bound);
  };
  EXPECT_THAT(told("mem_peak", "80"),
              ElementsAre("7:7 mem_peak needs a unit: it is in bytes | write \"80 GiB\" or \"80 GB\""));
  EXPECT_THAT(told("mem_peak", "\"80\""), ElementsAre(HasSubstr("7:8 mem_peak needs a unit")));
  EXPECT_THAT(told("step_time", "1.5"), ElementsAre(HasSubstr("write \"1.5 s\" or \"1.5 d\"")));
  EXPECT_THAT(told("tokens_per_s", "5"), ElementsAre(HasSubstr("write \"5 tokens/s\" or")));
  EXPECT_THAT(told("gpus", "512"), IsEmpty());
}

TEST_F(Goals, PointIntoBounds) {
  const auto told = [&](const std::string& metric, const std::string& bound) {
    return problems("[[limit]]\nmetric = \"" + metric + "\"\nmax = \"" + bound + "\"");
  };
  EXPECT_THAT(told("mem_peak", "0.9 * gpu.memori"),
              ElementsAre("7:14 unknown name \"gpu.memori\" | did you mean \"gpu.memory\"?"));
  EXPECT_THAT(told("mem_peak", "30 d"),
              ElementsAre(HasSubstr("7:8 mem_peak is in bytes, but its bound is in seconds")));
  EXPECT_THAT(told("mem_peak", "gpu.memory + 30 d"),
              ElementsAre(HasSubstr("7:19 \"+\" adds bytes with seconds")));
  EXPECT_THAT(told("mfu", "tp > 1"), ElementsAre(HasSubstr("7:8 a bound of mfu must be a number")));
  EXPECT_THAT(told("step_time", "1.5 mss"), ElementsAre("7:12 unknown unit \"mss\" | did you mean \"ms\"?"));
}

TEST_F(Goals, RankByMetrics) {
  const auto read = spec(
      "[[objective]]\nmetric = \"tokens_per_s_per_gpu\"\n[[objective]]\nmetric = "
      "\"gpus\"\n[[objective]]\nmetric = "
      "\"mem_peak\"\ngoal = \"max\"\n");
  ASSERT_EQ(read.objectives.size(), 3u);
  EXPECT_EQ(read.objectives[0].goal, sweep::Goal::max);
  EXPECT_EQ(read.objectives[1].goal, sweep::Goal::min);
  EXPECT_EQ(read.objectives[2].goal, sweep::Goal::max);
  EXPECT_THAT(problems("[[objective]]\nmetric = \"mfu\"\ngoal = \"most\""),
              ElementsAre("7:9 unknown goal \"most\" | known: min, max"));
  EXPECT_THAT(problems("[[objective]]\nmetric = \"mfu\"\n[[objective]]\nmetric = \"mfu\""),
              ElementsAre(HasSubstr("8:11 two objectives rank by mfu")));
}

TEST_F(Goals, ReadHowToSearchAndRun) {
  const auto read = spec(
      "[search]\nstrategy = \"sobol\"\npoints = 64\n[simulate]\nslowdown = \"off\"\ncontention = "
      "\"off\"\ncollectives = "
      "\"nccl-whitebox\"\n[run]\ndistribution = \"dynamic\"\nbudget = \"3 h 30 min\"\nsnapshot_every = \"90 "
      "s\"\n"
      "max_failures = \"2 %\"\nwork_budget = 1_000_000\n");
  EXPECT_EQ(read.search, (sweep::Search{sweep::Strategy::sobol, 64}));
  EXPECT_EQ(read.slowdown, sweep::SlowdownModel::off);
  EXPECT_EQ(read.contention, simulate::Contention::off);
  EXPECT_EQ(read.run.time_budget, 12600.0);
  EXPECT_EQ(read.run.snapshot_every, 90.0);
  EXPECT_EQ(read.run.max_failures, "2 %");
  EXPECT_EQ(read.run.work_budget, 1000000);
  EXPECT_EQ(spec("[run]\nmax_failures = 10").run.max_failures, "10");
  EXPECT_EQ(spec(""), spec("[search]\nstrategy = \"grid\"\n[simulate]\nslowdown = \"auto\"\n"
                           "contention = \"analytical\"\n"));
}

TEST_F(Goals, PointAtSettingsThatMakeNoSense) {
  EXPECT_THAT(problems("[search]\nstrategy = \"random\""),
              ElementsAre("6:13 this strategy needs a number of points | add points = 1000"));
  EXPECT_THAT(problems("[search]\npoints = 10"),
              ElementsAre(HasSubstr("6:10 a grid always runs all its points")));
  EXPECT_THAT(problems("[search]\nstrategy = \"sobal\"\npoints = 3"),
              ElementsAre(HasSubstr("6:13 unknown strategy \"sobal\" | did you mean \"sobol\"?")));
  EXPECT_THAT(problems("[run]\nbudget = 30"),
              ElementsAre(HasSubstr("6:10 budget needs a unit: it is a duration")));
  EXPECT_THAT(problems("[run]\nbudgte = \"1 h\""), ElementsAre(HasSubstr("did you mean \"budget\"?")));
  for (const char* wrong : {"\"some\"", "\"101 %\"", "-1", "\"1.5\"", "\"%\"", "true"}) {
    EXPECT_THAT(problems("[run]\nmax_failures = " + std::string(wrong)),
                ElementsAre(HasSubstr("max_failures is neither a number of points nor a percentage")))
        << wrong;
  }
  EXPECT_THAT(problems("[target]\ntokens = 1000"), ElementsAre(HasSubstr("6:10 tokens needs a unit")));
  EXPECT_THAT(problems("[simulate]\ncollectives = \"alpha-beta\""),
              ElementsAre(HasSubstr("6:16 unknown collectives \"alpha-beta\" | known: nccl-whitebox")));
}

}  // namespace
}  // namespace echo::config
