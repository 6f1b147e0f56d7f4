// Recipe files, their mistakes, and the axis that names them.
#include "base/named_table.hpp"
#include "config/catalog/fitted/publications.hpp"
#include "config/measured/measured_steps.hpp"
#include "sweep/space/design_space.hpp"
#include "tests/unit/config/sweep_fixture.hpp"

namespace echo::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

template <class Table>
std::int32_t id(const Table& table, const char* name) {
  const std::int32_t found = find_named(table, name);
  EXPECT_GE(found, 0) << name;
  return found;
}

class RecipePresets : public SweepFile {
 protected:
  void write(const std::string& name, const std::string& text) const {
    support::write_file(temp_.folder() / "recipes" / (name + ".toml"),
                        "name = \"" + name + "\"\nsource = \"a talk\"\ngrade = \"vendor\"\n" + text);
  }
  [[nodiscard]] static std::vector<std::string> catalog_problems() {
    return support::TempCatalog::told([] { (void)read_catalog(); });
  }
  // The first point of the sweep with these lines more.
  [[nodiscard]] training::TrainingConfig first(const std::string& more) const {
    const SweepInputs inputs =
        read_sweep(temp_.sweep("[space]\nmodel = \"gpt3-175b\"\ncluster = \"h800-96\"\nglobal_batch = 1536\n"
                               "gpus = 96\ntp = 8\npp = 6\n" +
                               more));
    return sweep::DesignSpace(inputs.spec, inputs.catalog).at(0);
  }
};

TEST_F(RecipePresets, AreOneFileEach) {
  write("mine",
        "frameworks = [\"megatron-core\"]\n[choices]\n"
        "overlap_tp = { value = true, source = \"slide 3\", grade = \"vendor\" }\n"
        "bucket_parameters = { value = \"7 M\", source = \"slide 4\", grade = \"vendor\" }\n"
        "[over.nemo]\nloss = { value = \"in_place\", source = \"slide 5\", grade = \"vendor\" }\n");
  const simulate::Catalog catalog = read_catalog().catalog;
  const training::RecipeId mine(id(catalog.recipes, "mine"));
  const auto over = [&](const char* framework) {
    return catalog.framework(training::FrameworkId(id(catalog.frameworks, framework)), mine);
  };
  const auto stock = catalog.frameworks[static_cast<std::size_t>(id(catalog.frameworks, "megatron-core"))];
  EXPECT_FALSE(stock.overlap.tensor);
  training::FrameworkSpec expected = stock;
  expected.recipe_name = "mine", expected.overlap.tensor = true, expected.bucket_parameters = 7'000'000;
  EXPECT_EQ(over("megatron-core"), expected);
  EXPECT_EQ(over("nemo").recipe_name, "mine");  // based on megatron-core
  EXPECT_EQ(over("nemo").loss, training::LossStore::in_place);
  EXPECT_EQ(over("deepspeed").recipe_name, "");  // as it comes
  EXPECT_EQ(first("recipe = \"mine\"\nsequence_parallel = true\n").overlap.tensor, true);
}

TEST_F(RecipePresets, AreCompletedFromTheirBase) {
  write("first",
        "frameworks = [\"nemo\"]\n[choices]\ncuda_graphs = { value = true, source = \"a\", grade = "
        "\"vendor\" }\n"
        "zero = { value = 2, source = \"a\", grade = \"vendor\" }\n");
  write("second", "base = \"first\"\n[choices]\nzero = { value = 3, source = \"b\", grade = \"vendor\" }\n");
  const simulate::Catalog catalog = read_catalog().catalog;
  const auto& nemo = catalog.framework(training::FrameworkId(id(catalog.frameworks, "nemo")),
                                       training::RecipeId(id(catalog.recipes, "second")));
  EXPECT_TRUE(nemo.recipe.cuda_graphs);
  EXPECT_EQ(nemo.zero, training::ZeroStage::parameters);
}

TEST_F(RecipePresets, ReportAllMistakesWithTheirPlaces) {
  write("wrong",
        "frameworks = [\"megatron-cor\"]\n[choices]\noverlap_tp = true\n"
        "zero = { value = 9, source = \"a\", grade = \"vendor\" }\nkernel_gap = { value = \"1 us\", source = "
        "\"a\", grade = \"vendor\" }\n"
        "[over.nobody]\nloss = { value = \"torn\", source = \"a\", grade = \"vendor\" }\n");
  EXPECT_THAT(catalog_problems(),
              UnorderedElementsAre(HasSubstr("4:16 unknown framework \"megatron-cor\" in recipe \"wrong\""),
                                   HasSubstr("6:1 overlap_tp in choices of recipe \"wrong\" has no source"),
                                   HasSubstr("7:18 zero = 9"),
                                   HasSubstr("8:1 unknown key \"kernel_gap\" in choices of"),
                                   HasSubstr("9:7 unknown framework \"nobody\""), HasSubstr("10:19 ")));
}

TEST_F(RecipePresets, ChooseSomethingForSomebodyAndAreNotCalledNone) {
  write("empty", "frameworks = []\n");
  write("none",
        "frameworks = [\"nemo\"]\n[choices]\nzero = { value = 1, source = \"a\", grade = \"vendor\" }\n");
  EXPECT_THAT(
      catalog_problems(),
      UnorderedElementsAre(HasSubstr("frameworks must list those that the recipe is for"),
                           HasSubstr("chooses nothing"), HasSubstr("no recipe may have the name \"none\"")));
}

TEST_F(RecipePresets, ASweepNamesThemAndItsOwnAxesWin) {
  EXPECT_TRUE(first("").named_recipe.is_none());
  EXPECT_TRUE(first("recipe = \"none\"\n").named_recipe.is_none());
  EXPECT_FALSE(first("").overlap.grad_reduce);
  const training::TrainingConfig laid = first("recipe = \"nvidia-performance\"\n");
  EXPECT_FALSE(laid.named_recipe.is_none());
  EXPECT_TRUE(laid.overlap.grad_reduce);
  EXPECT_EQ(laid.zero, training::ZeroStage::optimizer);
  const training::TrainingConfig own = first("recipe = \"nvidia-performance\"\nzero = 0\n");
  EXPECT_EQ(own.zero, training::ZeroStage::none);
  EXPECT_TRUE(own.overlap.tensor);
}

TEST_F(RecipePresets, OfNoFrameworkHereAreAMistakeAtTheirPlace) {
  EXPECT_THAT(
      problems("framework = [\"deepspeed\", \"paddle\"]\nrecipe = [\"none\", \"mlperf-v5.1\"]\n"
               "tpp = 2\n"),
      ElementsAre(
          HasSubstr("6:20 recipe \"mlperf-v5.1\" is for no framework here | it is for nemo, nemo-graphed;"),
          HasSubstr("7:1 unknown axis \"tpp\"")));
  EXPECT_THAT(problems("recipe = \"nvidia\"\n"), ElementsAre(HasSubstr("5:11 unknown recipe \"nvidia\" | ")));
  EXPECT_THAT(problems("framework = [\"deepspeed\", \"nemo\"]\nrecipe = [\"none\", \"mlperf-v5.1\"]\n"),
              IsEmpty());  // deepspeed with it is a row that says why not
}

TEST_F(RecipePresets, OfARowAreThoseOfTheRuleThatNamesItsFramework) {
  CatalogInputs presets = read_catalog();
  Problems told;
  presets.publications = read_publications(
      "[[runs]]\nwhere = { note = \"old\" }\nframework = \"nemo\"\nsource = \"x\"\n"
      "[[runs]]\nwhere = { note = \"run\" }\nframework = \"nemo\"\nrecipe = \"mlperf-v5.1\"\nsource = \"x\"\n"
      "[[runs]]\nwhere = { note = \"plain\" }\nrecipe = \"none\"\nsource = \"x\"\n",
      "rules", told);
  const std::string run = "megatron-core,h100-sxm,8,8,4096,32,4096,2,2,2,1,8,1.0,";
  const CsvTable table = CsvTable::parse(
      "framework,gpu,num_gpus,layers,hidden,heads,seq_len,tp,pp,dp,micro_batch,global_batch,step_time_s,"
      "note,recipe\n" +
          run + "old run,\n" + run + "a run,\n" + run + "plain,\n" + run + ",\n" + "deepspeed" +
          run.substr(13) + ",\n" + run + "a run,none\n",
      "t");
  const MeasuredSteps steps = read_measured_steps(table, presets);
  std::vector<std::string> names;
  for (const MeasuredStep& step : steps.rows)
    names.push_back(steps.catalog.framework(*step.config).recipe_name);
  EXPECT_THAT(names, ElementsAre("nvidia-performance", "mlperf-v5.1", "", "nvidia-performance", "", ""));
}

}  // namespace
}  // namespace echo::config
