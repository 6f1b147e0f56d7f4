#include "config/catalog/fitted/publications.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/named_table.hpp"
#include "base/problems.hpp"
#include "config/catalog/catalog_files.hpp"
#include "config/measured/measured_steps.hpp"
#include "tests/support/source_dir.hpp"
#include "tests/support/temp_catalog.hpp"

namespace echo::config {
namespace {

using support::TempCatalog;
using support::write_file;
using ::testing::HasSubstr;

constexpr const char* rules = R"([[runs]]
where     = { reference = "Report", note = "flash" }
framework = "nemo-flash-2"
source    = "Report, page 3"

[[runs]]
where     = { reference = "report" }
framework = "nemo"
gpu       = "h100-sxm-vboost"
source    = "Report, page 2"
)";

std::vector<PublishedRuns> read(const std::string& text) {
  Problems problems;
  auto out = read_publications(text, "publications.toml", problems);
  problems.throw_if_any();
  return out;
}

std::string complaint_about(const std::string& text) {
  try {
    (void)read(text);
  } catch (const UserError& error) {
    std::string all;
    for (const Problem& problem : error.problems()) all += problem.what + "\n";
    return all;
  }
  return "";
}

TEST(Publications, DescribeTheRunsThatAnyRuleMatches) {
  const auto known = read(rules);
  const CsvTable table = CsvTable::parse("reference,note\nA report of runs,\nanother,flash\n", "table");
  EXPECT_TRUE(is_described(known, table, 0));
  EXPECT_FALSE(is_described(known, table, 1));
  EXPECT_FALSE(is_described({}, table, 0));
}

TEST(Publications, TheFirstRuleThatMatchesAndSaysSoDecides) {
  const auto known = read(rules);
  const CsvTable table = CsvTable::parse(
      "reference,note\nA REPORT of runs,Flash attention\nA report of runs,\nanother,flash\n", "table");
  EXPECT_EQ(published_framework(known, table, 0, "own"), "nemo-flash-2");
  EXPECT_EQ(published_gpu(known, table, 0, "own"), "h100-sxm-vboost");
  EXPECT_EQ(published_framework(known, table, 1, "own"), "nemo");
  EXPECT_EQ(published_framework(known, table, 2, "own"), "own");
  EXPECT_EQ(published_gpu(known, table, 2, "own"), "own");
}

TEST(Publications, OneOfSeveralFragmentsSuffices) {
  const auto known = read("[[runs]]\nwhere = { gpu = [\"h100\", \"h200\"] }\ngpu = \"x\"\nsource = \"s\"\n");
  const CsvTable table = CsvTable::parse("gpu\nH100-SXM\nH200\nB200\n", "table");
  EXPECT_EQ(published_gpu(known, table, 0, "own"), "x");
  EXPECT_EQ(published_gpu(known, table, 1, "own"), "x");
  EXPECT_EQ(published_gpu(known, table, 2, "own"), "own");
  EXPECT_THAT(complaint_about("[[runs]]\nwhere = { gpu = [] }\ngpu = \"x\"\nsource = \"s\"\n"),
              HasSubstr("non-empty"));
}

TEST(Publications, ARunBelongsToASuiteByAnyColumnThatNamesItAndIsNotDescribedByIt) {
  Problems problems;
  const auto known = read_publications(
      "[[runs]]\nwhere = { suite = \"mlperf\", round = \"v4\" }\nframework = \"nemo\"\nsource = \"s\"\n",
      "suites.toml", problems, RuleOf::suite);
  const CsvTable table = CsvTable::parse(
      "source,task,note\nblog,MLPerf v4.1,\nmlperf-v4.0,,\nmlperf-v5.1,,\nblog,,as in MLPerf v4\n", "table");
  EXPECT_EQ(published_framework(known, table, 0, "own"), "nemo");
  EXPECT_EQ(published_framework(known, table, 1, "own"), "nemo");
  EXPECT_EQ(published_framework(known, table, 2, "own"), "own");
  EXPECT_EQ(published_framework(known, table, 3, "own"), "own");
  EXPECT_FALSE(is_described(known, table, 0));
  EXPECT_TRUE(is_of_suite(known, table, 0));
  EXPECT_FALSE(is_of_suite(known, table, 2));
}

TEST(Publications, ARuleMayNotAskForWhatWasMeasured) {
  for (const char* column : {"step_time_s", "peak_mem_gib", "mem_kind"})
    EXPECT_THAT(complaint_about("[[runs]]\nwhere = { " + std::string(column) +
                                " = \"1\" }\nframework = \"nemo\"\nsource = \"x\"\n"),
                HasSubstr("is a measurement"));
}

TEST(Publications, ARuleNeedsASourceAndKnowsItsKeys) {
  EXPECT_THAT(complaint_about("[[runs]]\nwhere = { note = \"x\" }\nframework = \"nemo\"\n"),
              HasSubstr("source"));
  EXPECT_THAT(complaint_about("[[runs]]\nwhere = { note = \"x\" }\nmodel = \"a\"\nsource = \"x\"\n"),
              HasSubstr("model"));
  EXPECT_THAT(complaint_about("[[runs]]\nwhere = { note = 3 }\nsource = \"x\"\n"), HasSubstr("string"));
}

TEST(Publications, ShippedRulesLeadToPresetsThatExist) {
  const CatalogInputs shipped = read_catalog({support::source_dir() + "/sweeps/catalog"});
  EXPECT_FALSE(shipped.publications.empty());
  for (const PublishedRuns& runs : shipped.publications) {
    EXPECT_FALSE(runs.where.empty());
    EXPECT_FALSE(runs.framework.empty() && runs.gpu.empty() && runs.cluster.empty() && runs.choices.empty() &&
                 runs.layer_split.empty());
    if (!runs.framework.empty()) {
      EXPECT_GE(find_named(shipped.catalog.frameworks, runs.framework), 0) << runs.framework;
    }
    if (!runs.recipe.empty()) {
      const std::int32_t recipe = find_named(shipped.catalog.recipes, runs.recipe);
      ASSERT_GE(recipe, 0) << runs.recipe;
      ASSERT_FALSE(runs.framework.empty()) << "a recipe is of a framework: " << runs.recipe;
      const training::FrameworkId framework(find_named(shipped.catalog.frameworks, runs.framework));
      EXPECT_EQ(shipped.catalog.framework(framework, training::RecipeId(recipe)).recipe_name, runs.recipe);
    }
    if (!runs.cluster.empty()) {
      EXPECT_GE(find_named(shipped.catalog.clusters, runs.cluster), 0) << runs.cluster;
    }
    if (!runs.gpu.empty()) {
      EXPECT_GE(find_named(shipped.catalog.gpus, runs.gpu), 0) << runs.gpu;
      EXPECT_GE(find_named(shipped.catalog.clusters, "generic-" + runs.gpu), 0) << runs.gpu;
    }
  }
}

TEST(Publications, ChoicesFillTheAxesThatARowLeavesOpen) {
  CatalogInputs presets = read_catalog({support::source_dir() + "/sweeps/catalog"});
  Problems problems;
  presets.publications = read_publications(
      "[[runs]]\nwhere = { note = \"graphs\" }\nchoices = { cuda_graphs = true, recompute = \"full\" }\n"
      "source = \"x\"\n[[runs]]\nwhere = { note = \"graphs\" }\nchoices = { cuda_graphs = false }\n"
      "source = \"x\"\n[[runs]]\nwhere = { note = \"graphs\" }\nlayer_split = [5, 3]\nsource = \"x\"\n",
      "rules", problems);
  ASSERT_EQ(problems.errors(), 0);
  const std::string header =
      "framework,gpu,num_gpus,layers,hidden,heads,seq_len,tp,pp,dp,micro_batch,global_batch,step_time_s,"
      "recompute,note\n";
  const std::string run = "megatron-core,h100-sxm,8,8,4096,32,4096,1,2,4,1,8,1.0,";
  const CsvTable table =
      CsvTable::parse(header + run + ",graphs\n" + run + "none,graphs\n" + run + ",\n", "t");
  const MeasuredSteps steps = read_measured_steps(table, presets);
  EXPECT_TRUE(steps.rows[0].config->recipe.cuda_graphs);
  EXPECT_EQ(steps.rows[0].config->recompute, training::Recompute::full);
  EXPECT_EQ(steps.rows[1].config->recompute, training::Recompute::none);  // as the row says
  EXPECT_FALSE(steps.rows[2].config->recipe.cuda_graphs);
  EXPECT_EQ(steps.catalog.layer_tables.at(
                static_cast<std::size_t>(steps.rows[0].config->layers.explicit_layers.index())),
            (std::vector<std::int32_t>{5, 3}));
  EXPECT_TRUE(steps.rows[2].config->layers.explicit_layers.is_none());
}

TEST(Publications, SayHowManyVirtualStagesTunedRunsHaveThatDoNotInterleaveToTheLast) {
  CatalogInputs presets = read_catalog({support::source_dir() + "/sweeps/catalog"});
  Problems problems;
  presets.publications = read_publications(
      "[[runs]]\nwhere = { note = \"plain\" }\nvpp = 1\nsource = \"x\"\n"
      "[[runs]]\nwhere = { note = \"plain\" }\nvpp = 2\nsource = \"x\"\n",
      "rules", problems);
  ASSERT_EQ(problems.errors(), 0);
  const std::string header =
      "framework,gpu,num_gpus,layers,hidden,heads,seq_len,tp,pp,dp,micro_batch,global_batch,step_time_s,"
      "task,vpp,note\n";
  const std::string run = "megatron-core,h100-sxm,8,8,4096,32,4096,1,2,4,1,8,1.0,LoRA,";
  const CsvTable table = CsvTable::parse(header + run + ",plain\n" + run + ",\n" + run + "2,plain\n", "t");
  const MeasuredSteps steps = read_measured_steps(table, presets);
  EXPECT_EQ(steps.rows[0].config->degrees.virtual_stages, 1);
  EXPECT_EQ(steps.rows[1].config->degrees.virtual_stages, 4);  // as NeMo's recipes for tuning
  EXPECT_EQ(steps.rows[2].config->degrees.virtual_stages, 2);  // as the row says
  EXPECT_NE(steps.rows[0].config->schedule, steps.rows[1].config->schedule);
}

TEST(Publications, RefuseVirtualStagesThatAreNone) {
  EXPECT_THAT(complaint_about("[[runs]]\nwhere = { reference = \"x\" }\nvpp = 0\nsource = \"x\"\n"),
              HasSubstr("vpp"));
}

TEST(Publications, SayWhichFrameworkAMeasuredRowMeans) {
  const CatalogInputs shipped = read_catalog({support::source_dir() + "/sweeps/catalog"});
  const std::string header =
      "framework,gpu,num_gpus,layers,hidden,heads,seq_len,tp,pp,dp,micro_batch,global_batch,step_time_s,"
      "reference,note\n";
  const std::string run = "torchtitan,h100-sxm,8,32,4096,32,8192,1,1,8,1,8,1.0,";
  const CsvTable table = CsvTable::parse(
      header + run + "pytorch/torchtitan table 1,torch.compile\n" + run + "pytorch/torchtitan table 1,\n",
      "t");
  const MeasuredSteps steps = read_measured_steps(table, shipped);
  EXPECT_EQ(steps.rows[0].config->recipe.kernels, ops::KernelStyle::compiled);
  EXPECT_EQ(steps.rows[1].config->recipe.kernels, ops::KernelStyle::eager);
}

}  // namespace
}  // namespace echo::config
