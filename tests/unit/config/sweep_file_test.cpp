#include "config/sweep_file/sweep_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sweep/space/count_space.hpp"
#include "sweep/space/design_space.hpp"
#include "tests/support/source_dir.hpp"
#include "tests/unit/config/sweep_fixture.hpp"

namespace echo::config {
namespace {

using support::TempCatalog;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST_F(SweepFile, ReadsEveryFormOfAnAxis) {
  EXPECT_THAT(values("tp = [1, 2, 4]"), ElementsAre(1, 2, 4));
  EXPECT_THAT(values("tp = 8"), ElementsAre(8));
  EXPECT_THAT(values("tp = { pow2 = [1, 8] }"), ElementsAre(1, 2, 4, 8));
  EXPECT_THAT(values("tp = { from = 2, to = 8, step = 3 }"), ElementsAre(2, 5, 8));
  EXPECT_THAT(values("tp = { log = [1, 64], n = 4 }"), ElementsAre(1, 4, 16, 64));
  EXPECT_THAT(values("tp = { log = [2, 96], n = 5 }"), ElementsAre(2, 5, 14, 36, 96));
  EXPECT_THAT(values("tp = { log = [1, 4], n = 9 }"), ElementsAre(1, 2, 3, 4));  // of equal ones, one
  EXPECT_THAT(values("tp = { log = [7, 7], n = 2 }"), ElementsAre(7));
  EXPECT_THAT(values("zero = { from = 0, to = 3 }"), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(values("sequence_parallel = [true, false]"), ElementsAre(1, 0));
  EXPECT_THAT(values("fsdp_prefetch = [0, 2]"), ElementsAre(0, 2));
  EXPECT_THAT(values("zero_group = { pow2 = [8, 16] }"), ElementsAre(8, 16));
  EXPECT_THAT(values("capacity_factor = [0, 1.25]"), ElementsAre(0, 1250));                     // thousandths
  EXPECT_THAT(values("recompute_modules = [\"mlp+core_attn\", \"none\"]"), ElementsAre(9, 0));  // bits
  EXPECT_THAT(values("cuda_graphs = [true, false]"), ElementsAre(1, 0));
  EXPECT_THAT(values("gpus = 96\ntp = \"auto\""), ElementsAre(1, 2, 4, 8));
  EXPECT_THAT(values("gpus = 96\npp = \"auto\""), ElementsAre(1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 96));
  EXPECT_THAT(values("gpus = 16\ndp = \"auto\""), ElementsAre(1, 2, 4, 8, 16));
  EXPECT_THAT(values("vpp = \"auto\""), ElementsAre(1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 96));
  EXPECT_THAT(values("gpus = 96\ncp = \"auto\""), ElementsAre(1, 2, 4, 8, 16, 32));  // 2048 in 2 cp pieces
  EXPECT_THAT(values("gpus = 96\nseq_len = 12\ncp = \"auto\""), ElementsAre(1, 2, 3, 6));
  EXPECT_THAT(values("ep = \"auto\""), ElementsAre(1));
  EXPECT_THAT(values("micro_batch = \"auto\""),
              ElementsAre(1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1536));
}

TEST_F(SweepFile, CountsWholeSequencesForAnAutomaticMicrobatch) {
  const auto read = config::read_sweep(temp_.sweep(
      "[space]\nmodel = \"gpt3-175b\"\ncluster = \"h800-96\"\nglobal_batch = \"16 Ki tokens\"\nmicro_batch = "
      "\"auto\"\nseq_len = [2048, 3000]\n"));
  EXPECT_EQ(read.spec.dimensions[3].columns[0].values.size(), 4u);  // 8 sequences of 2048: 1, 2, 4, 8
}

TEST_F(SweepFile, KeepsTheOrderOfTheFile) {
  const auto read = spec(
      "zero = 1\ntp = [1, 2]\n[space.paired]\nseq_len = [1024, 2048]\nmicro_batch = [2, 1]\n"
      "[[keep]]\nname = \"first\"\nexpr = \"tp < 3\"\n[derive]\nb = \"tp * 2\"\na = \"b\"\n");
  ASSERT_EQ(read.dimensions.size(), 6u);
  EXPECT_EQ(read.dimensions[3].columns[0].axis, sweep::Axis::zero);
  EXPECT_EQ(read.dimensions[4].columns[0].axis, sweep::Axis::tp);
  ASSERT_EQ(read.dimensions[5].columns.size(), 2u);
  EXPECT_EQ(read.dimensions[5].columns[0].axis, sweep::Axis::seq_len);
  EXPECT_EQ(read.rules[0].name, "first");
  EXPECT_EQ(read.rules[1].name, "b");
  EXPECT_EQ(read.rules[2].name, "a");
}

TEST_F(SweepFile, ReportsASyntaxErrorOnceAndStillChecksOtherFiles) {
  support::write_file(temp_.folder() / "gpus" / "bad.toml", "name = 3\n");
  const auto told = temp_.problems("[space]\ntp = [1, 2\npp = ]\nmodel = \"nonsense\"\n");
  EXPECT_THAT(told, ::testing::Contains(HasSubstr("this is not TOML")).Times(1));
  EXPECT_THAT(told, ::testing::Contains(HasSubstr("1:8 name must be a string, not an integer")));
}

TEST_F(SweepFile, PointsAtUnknownKeys) {
  EXPECT_THAT(problems("tpp = [1, 2]"), ElementsAre("5:1 unknown axis \"tpp\" | did you mean \"tp\"?"));
  EXPECT_THAT(problems("[outptu]\nfile = \"x\""),
              ElementsAre(HasSubstr("5:2 unknown key \"outptu\" in the sweep | did you mean \"output\"?")));
  EXPECT_THAT(problems("[output]\nfiel = \"x\""),
              ElementsAre(HasSubstr("6:1 unknown key \"fiel\" in [output] | did you mean \"file\"?")));
  EXPECT_THAT(problems("[[keep]]\nname = \"a\"\nexpr = \"tp > 0\"\nwhi = \"x\""),
              ElementsAre(HasSubstr("8:1 unknown key \"whi\" in [[keep]] | did you mean \"why\"?")));
}

TEST_F(SweepFile, PointsAtUnknownPresetsAndWords) {
  EXPECT_THAT(
      problems("schedule = [\"1f1b\", \"interleavd\"]"),
      ElementsAre(
          "5:22 unknown schedule \"interleavd\" | did you mean \"interleaved\"?  (echo-sweep presets list "
          "schedules)"));
  EXPECT_THAT(problems("gpu = \"H100-SXM5-80GB\""),
              ElementsAre(HasSubstr("5:8 unknown gpu \"H100-SXM5-80GB\" | did you mean \"h100-sxm\"?")));
  EXPECT_THAT(problems("recompute = \"ful\""),
              ElementsAre("5:14 unknown recompute \"ful\" | did you mean \"full\"?"));
  EXPECT_THAT(problems("precision = [\"bf-16\"]"),
              ElementsAre(HasSubstr("5:15 unknown precision \"bf-16\" | did you mean \"bf16\"?")));
}

TEST_F(SweepFile, ReadsOnAndOffAsTablesPrintThem) {
  EXPECT_THAT(problems("sequence_parallel = [\"on\", \"off\"]"), ElementsAre());
  EXPECT_THAT(problems("sequence_parallel = \"maybe\""),
              ElementsAre(HasSubstr("5:22 sequence_parallel must be true or false, not a string")));
}

TEST_F(SweepFile, PointsAtWrongTypes) {
  EXPECT_THAT(problems("tp = [1, \"2\"]"),
              ElementsAre(HasSubstr("5:11 tp must be an integer, not a string")));
  EXPECT_THAT(problems("tp = 1.5"), ElementsAre(HasSubstr("5:6 tp must be an integer, not a real number")));
  EXPECT_THAT(problems("sequence_parallel = 1"),
              ElementsAre(HasSubstr("5:21 sequence_parallel must be true or false, not an integer")));
  EXPECT_THAT(problems("recompute = [true]"),
              ElementsAre(HasSubstr("5:14 recompute must be a string, not a boolean")));
  EXPECT_THAT(problems("recompute = { pow2 = [1, 2] }"),
              ElementsAre(HasSubstr("5:13 recompute takes names, not a range")));
  EXPECT_THAT(temp_.problems("space = 3"),
              ElementsAre(HasSubstr("1:9 space must be a table, not an integer")));
  EXPECT_THAT(problems("[keep]\nname = \"a\""),
              ElementsAre(HasSubstr("keep must be a list of tables, not a table")));
  EXPECT_THAT(problems("[derive]\nx = 3"),
              ElementsAre(HasSubstr("6:5 x must be an expression in a string, not an integer")));
}

TEST_F(SweepFile, PointsAtImpossibleValues) {
  EXPECT_THAT(problems("tp = [1, 0]"), ElementsAre(HasSubstr("5:10 tp = 0 is impossible")));
  EXPECT_THAT(problems("pp = -2"), ElementsAre(HasSubstr("5:6 pp = -2 is impossible")));
  EXPECT_THAT(problems("zero = [1, 4]"),
              ElementsAre(HasSubstr("5:12 zero = 4 is impossible | it must be at least 0 and at most 3")));
  EXPECT_THAT(problems("tp = [8, 128]"),
              ElementsAre(HasSubstr("5:10 tp = 128 exceeds the heads of every model here (96)")));
  EXPECT_THAT(problems("pp = 100"),
              ElementsAre(HasSubstr("5:6 pp = 100 exceeds the layers of every model here")));
  EXPECT_THAT(problems("gpus = 104"),
              ElementsAre(HasSubstr("5:8 gpus = 104 exceeds the GPUs of every cluster here (96)")));
  EXPECT_THAT(problems("micro_batch = 2000"),
              ElementsAre(HasSubstr("5:15 micro_batch = 2000 exceeds every global_batch here (1536)")));
  EXPECT_THAT(problems("tp = []"), ElementsAre(HasSubstr("5:6 tp has no values")));
  EXPECT_THAT(problems("tp = { pow2 = [3, 8] }"), ElementsAre(HasSubstr("5:15 pow2 = [3, 8] is impossible")));
  EXPECT_THAT(problems("tp = { from = 4, to = 2 }"), ElementsAre(HasSubstr("5:6 this range is empty")));
  EXPECT_THAT(problems("tp = { from = 1, to = 2000000 }"), ElementsAre(HasSubstr("over 100 000 values")));
  EXPECT_THAT(problems("tp = { from = 90, to = 120 }"),
              ElementsAre(HasSubstr("5:6 tp = 97 exceeds the heads of every model here (96)")));
  EXPECT_THAT(problems("zero = { from = 0, to = 4 }"), ElementsAre(HasSubstr("5:25 to = 4 is impossible")));
  EXPECT_THAT(problems("zero = { pow2 = [1, 8] }"),
              ElementsAre(HasSubstr("5:17 pow2 = [1, 8] is impossible")));
  EXPECT_THAT(problems("tp = { log = [1, 8] }"), ElementsAre(HasSubstr("axis tp lacks \"n\"")));
  EXPECT_THAT(problems("tp = { log = [1, 8], n = 1 }"), ElementsAre(HasSubstr("n = 1 is impossible")));
  EXPECT_THAT(problems("tp = { log = [8, 1], n = 3 }"),
              ElementsAre(HasSubstr("5:14 log = [8, 1] is impossible")));
  EXPECT_THAT(problems("tp = { log = [1.5, 8], n = 3 }"),
              ElementsAre("5:14 log must be [lowest, highest] | write { log = [1, 8] }, with integers"));
  EXPECT_THAT(problems("tp = { pow2 = [1, 8], n = 3 }"),
              ElementsAre(HasSubstr("unknown key \"n\" in axis tp")));
  EXPECT_THAT(problems("gpus = \"auto\""),
              ElementsAre(HasSubstr("5:9 gpus has no \"auto\" | auto is for tp")));
  EXPECT_THAT(problems("gpus = { from = 1, to = 90 }\npp = { from = 1, to = 3 }\ndp = \"auto\""), IsEmpty());
  EXPECT_THAT(problems("nccl_version = \"2.x\""),
              ElementsAre(HasSubstr("5:17 \"2.x\" is not an NCCL version")));
}

TEST_F(SweepFile, ReadsBatchesInSequencesOrTokens) {
  const std::string head = "[space]\nmodel = \"gpt3-175b\"\ncluster = \"h800-96\"\n";
  const auto read = config::read_sweep(temp_.sweep(head + "global_batch = [\"4 Mi tokens\"]"));
  EXPECT_TRUE(read.spec.batch_in_tokens);
  EXPECT_EQ(sweep::DesignSpace(read.spec, read.catalog).at(0).batch.global_samples, 2048);
  EXPECT_THAT(temp_.problems(head + "global_batch = \"4 Mi\""), ElementsAre(HasSubstr("4:17 ")));
  EXPECT_THAT(temp_.problems(head + "global_batch = \"1.5 tokens\""),
              ElementsAre(HasSubstr("not a whole, positive number of tokens")));
  EXPECT_THAT(temp_.problems(head + "global_batch = [1536, \"4 Mi tokens\"]"),
              ElementsAre(HasSubstr("4:24 global_batch mixes sequences and tokens")));
}

TEST_F(SweepFile, DemandsWhatHasNoDefault) {
  EXPECT_THAT(temp_.problems("[space]\ntp = 1\n"),
              ElementsAre(HasSubstr("1:1 [space] lacks model"), HasSubstr("[space] lacks cluster"),
                          HasSubstr("[space] lacks global_batch")));
  EXPECT_THAT(temp_.problems("name = \"empty\"\n"), ElementsAre(HasSubstr("lacks \"space\"")));
}

TEST_F(SweepFile, PointsIntoExpressions) {
  EXPECT_THAT(problems("[[keep]]\nname = \"a\"\nexpr = \"tp <= modle.heads\""),
              ElementsAre("7:15 unknown name \"modle.heads\" | did you mean \"model.heads\"?"));
  EXPECT_THAT(problems("[derive]\nx = \"tp * (pp + \""),
              ElementsAre(HasSubstr("6:17 the expression ends too early")));
  EXPECT_THAT(problems("[[keep]]\nname = \"a\"\nexpr = \"tp + 1\""),
              ElementsAre(HasSubstr("7:9 a keep must be true or false")));
  EXPECT_THAT(problems("[derive]\nx = \"y + 1\"\ny = \"tp\""),
              ElementsAre("6:6 unknown name \"y\" | it is derived later; move its definition up"));
  EXPECT_THAT(problems("gpus = 96\n[derive]\ntp = \"96 // dp\""),
              ElementsAre(HasSubstr("7:7 tp depends on itself")));
  EXPECT_THAT(problems("[derive]\nschedule = \"'1f1b'\""),
              ElementsAre(HasSubstr("6:13 schedule cannot be derived")));
  EXPECT_THAT(problems("[derive]\ntp = \"pp > 1\""),
              ElementsAre(HasSubstr("6:7 tp has the wrong type here")));
  EXPECT_THAT(problems("tp = 1\n[derive]\ntp = \"2\""),
              ElementsAre(HasSubstr("7:1 tp is in [space] and in [derive]")));
}

TEST_F(SweepFile, PointsAtMisspeltWordsAndMixedUnitsInExpressions) {
  const auto keep = [&](const std::string& text) {
    return problems("[[keep]]\nname = \"a\"\nexpr = \"" + text + "\"");
  };
  EXPECT_THAT(keep("tp > 1 or schedule == 'interleavd'"),
              ElementsAre("7:32 unknown schedule \"interleavd\" | did you mean \"interleaved\"?"));
  EXPECT_THAT(keep("model != 'gpt3-157b'"),
              ElementsAre("7:19 unknown model \"gpt3-157b\" | did you mean \"gpt3-175b\"?"));
  EXPECT_THAT(keep("gpu.memory > 30 d"), ElementsAre(HasSubstr("7:20 \">\" compares bytes with seconds")));
  EXPECT_THAT(keep("gpu.memory > 80"),
              ElementsAre(HasSubstr("compares bytes with a plain number | give the number its unit")));
  EXPECT_THAT(problems("[derive]\ntp = \"gpu.memory\""),
              ElementsAre(HasSubstr("6:7 tp must be a plain number, but this is in bytes")));
  EXPECT_THAT(
      problems("[derive]\nroom = \"gpu.memory // 2\"\n[[keep]]\nname = \"a\"\nexpr = \"room > 30 GiB\""),
      ::testing::IsEmpty());
}

TEST_F(SweepFile, RefusesPairsOfUnequalLength) {
  EXPECT_THAT(problems("[space.paired]\ntp = [1, 2]\npp = [1, 2, 3]"),
              ElementsAre(HasSubstr("7:6 paired axes differ in length: pp has 3, the first has 2")));
  EXPECT_THAT(problems("tp = 1\n[space.paired]\ntp = [1, 2]"),
              ElementsAre(HasSubstr("7:1 tp stands in [space] and in [space.paired]")));
}

TEST_F(SweepFile, SaysWhatItDoesNotReadYet) {
  EXPECT_THAT(problems("[output]\ntimelines = { top = 3 }"),
              ElementsAre(HasSubstr("output.timelines is not supported yet")));
  EXPECT_THAT(problems("[simulate]\nout_of_range = \"flag\""),
              ElementsAre(HasSubstr("6:17 simulate.out_of_range is not supported yet")));
  EXPECT_THAT(problems("[run]\ndistribution = \"guided\"\nper_config = { timeout = \"30 s\" }"),
              ElementsAre("6:17 distribution \"guided\" is not supported yet | known: dynamic",
                          HasSubstr("7:14 run.per_config is not supported yet | use work_budget")));
}

TEST_F(SweepFile, ReadsHowUnequalGpusAreAndSaysWhatIsWrongWithIt) {
  EXPECT_THAT(problems("[simulate]\nskew = { sigma = \"2 %\", draws = 64 }"), ::testing::IsEmpty());
  EXPECT_THAT(problems("[simulate]\nskew = { sigma = 0.02, draws = 1 }"), ::testing::IsEmpty());
  EXPECT_THAT(problems("[simulate]\nskew = 0.02"), ElementsAre(HasSubstr("a table such as { sigma = ")));
  EXPECT_THAT(problems("[simulate]\nskew = { sigma = \"2\", draws = 64 }"),
              ElementsAre(HasSubstr("sigma is not between 0 and 50 % | write \"2 %\" or 0.02")));
  EXPECT_THAT(problems("[simulate]\nskew = { sigma = \"2 %\" }"), ElementsAre(HasSubstr("draws")));
  EXPECT_THAT(problems("[simulate]\nskew = { sigma = \"2 %\", draws = 4, drows = 4 }"),
              ElementsAre(HasSubstr("drows")));
}

TEST_F(SweepFile, ReportsAllProblemsInOnePass) {
  const auto told = temp_.problems(
      "scheme = 1\nname = \"a b\"\n[space]\nmodel = [\"gpt3-175b\", \"gpt4\"]\ncluster = "
      "\"h800-96\"\nglobal_batch = 0\n"
      "tp = [1, 2.5]\n[derive]\ndp = \"gpus / (tp * qq)\"\n[[keep]]\nname = \"k\"\nexpr = \"tp\"\n");
  EXPECT_THAT(
      told,
      ElementsAre(HasSubstr("1:1 unknown key \"scheme\" in the sweep | did you mean \"schema\"?"),
                  HasSubstr("2:9 the name \"a b\""), HasSubstr("4:24 unknown model \"gpt4\""),
                  HasSubstr("6:16 global_batch = 0 is impossible"), HasSubstr("7:10 tp must be an integer"),
                  HasSubstr("9:20 unknown name \"qq\""), HasSubstr("12:9 a keep must be true or false")));
}

TEST_F(SweepFile, DoesNotBlameRulesForABrokenAxis) {
  EXPECT_THAT(temp_.problems("[space]\nmodel = \"nope\"\ncluster = \"h800-96\"\nglobal_batch = "
                             "1\n[derive]\nx = \"model.layers\"\n"),
              ElementsAre(HasSubstr("2:10 unknown model \"nope\"")));
}

TEST_F(SweepFile, NamesTheOutput) {
  EXPECT_EQ(spec("").name, "sweep");
  EXPECT_EQ(spec("[output]\nfile = \"results/{name}.h5\"").output_file, "results/sweep.h5");
}

TEST_F(SweepFile, TakesOverridesFromTheCommandLine) {
  const std::string path =
      temp_.sweep("[space]\nmodel = \"gpt3-175b\"\ncluster = \"h800-96\"\nglobal_batch = 1536\ntp = 1\n");
  const auto read = read_sweep(path, {}, {"space.tp=[2, 4]", "name=trial-2", "space.pp={ pow2 = [1, 4] }"});
  EXPECT_EQ(read.spec.name, "trial-2");
  EXPECT_EQ(read.spec.dimensions[3].columns[0].values.size(), 2u);
  EXPECT_EQ(read.spec.dimensions[4].columns[0].values.size(), 3u);
  EXPECT_THAT(read.resolved_toml, HasSubstr("trial-2"));
  EXPECT_THAT(read.sweep_toml, ::testing::Not(HasSubstr("trial-2")));
  try {
    (void)read_sweep(path, {}, {"space.tp=[0]", "nonsense"});
    FAIL();
  } catch (const UserError& error) {
    ASSERT_EQ(error.problems().size(), 2u);
    EXPECT_THAT(error.problems()[0].what, HasSubstr("has no key or no value"));
    EXPECT_EQ(error.problems()[1].place.file, "--set space.tp=[0]");
    EXPECT_EQ(error.problems()[1].place.column, 11);
  }
}

TEST_F(SweepFile, ReadsExplicitSplitsAndNcclVersions) {
  const auto read = config::read_sweep(
      temp_.sweep("[space]\nmodel = \"gpt3-125m\"\ncluster = \"h800-96\"\nglobal_batch = 8\npp = 2\n"
                  "layer_split = [\"even\", [5, 7]]\nnccl_version = [\"2.18.3\", \"2.27.3\"]\n"));
  const sweep::DesignSpace space(read.spec, read.catalog);
  ASSERT_EQ(space.size(), 4);
  EXPECT_TRUE(space.at(0).layers.explicit_layers.is_none());
  EXPECT_EQ(space.at(0).nccl_version, 0);  // 2.18.3 is the cluster's own
  const auto split = static_cast<std::size_t>(space.at(3).layers.explicit_layers.index());
  EXPECT_THAT(read.catalog.layer_tables.at(split), ElementsAre(5, 7));
  EXPECT_EQ(space.at(3).nccl_version, 22703);
}

TEST_F(SweepFile, ReadsWhatNcclIsHeldToAndKnowsItsEnvironmentsSpelling) {
  const std::string head = "[space]\nmodel = \"gpt3-125m\"\ncluster = \"h800-96\"\nglobal_batch = 8\n";
  const auto read = config::read_sweep(temp_.sweep(
      head + "nccl_algo = [\"auto\", \"nvls\"]\nnccl_proto = \"LL128\"\nnccl_max_nchannels = [0, 8]\n"));
  const sweep::DesignSpace space(read.spec, read.catalog);
  ASSERT_EQ(space.size(), 4);
  EXPECT_EQ(space.at(3).recipe.nccl_algo, ops::NcclAlgorithm::nvls);
  EXPECT_EQ(space.at(3).recipe.nccl_proto, ops::NcclProtocol::ll128);
  EXPECT_EQ(space.at(3).recipe.nccl_max_nchannels, 8);
  try {
    static_cast<void>(config::read_sweep(temp_.sweep(head + "NCCL_ALGO = \"Ring\"\n")));
    FAIL() << "an unknown axis was taken";
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), HasSubstr("nccl_algo"));
  }
}

TEST_F(SweepFile, DropsAValueListedTwiceWithAWarning) {
  const std::string head = "[space]\nmodel = \"gpt3-125m\"\ncluster = \"h800-96\"\nglobal_batch = 8\n";
  const auto read = config::read_sweep(temp_.sweep(head + "tp = [1, 2, 1]\n"));
  ASSERT_EQ(read.warnings.size(), 1u);
  EXPECT_EQ(read.warnings[0].place.line, 5);
  EXPECT_EQ(read.warnings[0].place.column, 13);
  EXPECT_EQ(read.spec.dimensions[3].columns[0].values.size(), 2u);
  const auto pairs =
      config::read_sweep(temp_.sweep(head + "[space.paired]\ntp = [1, 2, 1]\npp = [1, 1, 2]\n"));
  EXPECT_THAT(pairs.warnings, IsEmpty());  // each stands beside another partner
  EXPECT_EQ(pairs.spec.dimensions[3].columns[0].values.size(), 3u);
}

TEST_F(SweepFile, ReadsTheSweepsItShips) {
  for (const char* name : {"gpt3-175b-96xh800", "design-space"}) {
    const auto path = support::fs::path(support::source_dir()) / "sweeps" / (std::string(name) + ".toml");
    support::fs::copy_file(path, temp_.root() / (std::string(name) + ".toml"));
    const auto read = read_sweep((temp_.root() / (std::string(name) + ".toml")).string());
    EXPECT_THAT(read.warnings, IsEmpty());
    EXPECT_EQ(read.spec.name, name);
    const sweep::DesignSpace space(read.spec, read.catalog);
    EXPECT_GT(space.size(), 5000);
    for (const sweep::RuleCount& rule : sweep::count_space(space.raw_space(), {}).rules)
      EXPECT_TRUE(!rule.tests || rule.removed.value > 0) << rule.name << " never fires";
  }
}

TEST_F(SweepFile, ReadsTheExampleOfEverySection) {
  const auto source = support::fs::path(support::source_dir()) / "sweeps";
  support::fs::create_directories(temp_.root() / "sites");
  for (const char* name : {"two-budgets.toml", "sites/lab.toml"})
    support::fs::copy_file(source / name, temp_.root() / name);
  const auto read = read_sweep((temp_.root() / "two-budgets.toml").string());
  EXPECT_THAT(read.warnings, IsEmpty());
  EXPECT_EQ(read.spec.groups.size(), 2u);
  EXPECT_EQ(read.spec.limits.size(), 2u);
  const sweep::DesignSpace space(read.spec, read.catalog);
  EXPECT_EQ(space.size(), 100);
  for (const sweep::RuleCount& rule : sweep::count_space(space.raw_space(), {}).rules)
    EXPECT_TRUE(!rule.tests || rule.removed.value > 0) << rule.name << " never fires";
}

TEST_F(SweepFile, NamesAFileThatCannotBeRead) {
  EXPECT_THAT(TempCatalog::told([&] { (void)read_sweep((temp_.root() / "absent.toml").string()); }),
              ElementsAre(HasSubstr("this file cannot be read")));
}

}  // namespace
}  // namespace echo::config
