// A recipe over a framework is the framework's file with the recipe's values written out: the same preset,
// and the same steps.
#include <gtest/gtest.h>

#include <map>

#include "base/at.hpp"
#include "base/counter_rng.hpp"
#include "base/named_table.hpp"
#include "config/catalog/catalog_files.hpp"
#include "simulate/simulate.hpp"
#include "sweep/space/config_id.hpp"
#include "sweep/space/design_space.hpp"
#include "tests/support/small_space.hpp"
#include "tests/support/temp_catalog.hpp"

namespace echo::config {
namespace {

// Framework keys and values that they may have.
const std::map<std::string, std::vector<std::string>>& known_choices() {
  static const std::map<std::string, std::vector<std::string>> known{
      {"sequence_parallel", {"true", "false"}},
      {"zero", {"0", "1", "2", "3"}},
      {"recompute", {"\"none\"", "\"full\"", "\"selective\""}},
      {"overlap_grad_reduce", {"true", "false"}},
      {"overlap_param_gather", {"true", "false"}},
      {"overlap_p2p", {"true", "false"}},
      {"kernels", {"\"fused\"", "\"eager\"", "\"compiled\""}},
      {"kernels_loss", {"\"fused\"", "\"eager\"", "\"compiled\""}},
      {"fp32_gradients", {"true", "false"}},
      {"fused_grad_accumulation", {"true", "false"}},
      {"cuda_graphs", {"true", "false"}},
      {"loss", {"\"torch\"", "\"in_place\"", "\"vocab_parallel\""}},
      {"gradients", {"\"main_buffer\"", "\"partitioned\""}},
      {"keeps_gathered_inputs", {"true", "false"}},
      {"attention_kernel", {"\"flash-2\"", "\"native\""}},
      {"bucket_parameters", {"\"1 M\"", "\"200 M\""}},
      {"nccl_max_nchannels", {"4", "16"}}};
  return known;
}

std::string drawn_choices(std::uint64_t seed) {
  std::string text;
  std::uint64_t number = 0;
  for (const auto& [key, values] : known_choices())
    if (draw(20261123, seed, number++) % 2 == 0)
      text += key + " = { value = " + values[draw(20261123, seed, number++) % values.size()] +
              ", source = \"drawn\", grade = \"vendor\" }\n";
  return text.empty() ? "zero = { value = 1, source = \"drawn\", grade = \"vendor\" }\n" : text;
}

simulate::StepReport first_step(const CatalogInputs& inputs, const char* framework, const char* recipe) {
  using support::names;
  using support::numbers;
  sweep::SweepSpec spec;
  spec.dimensions = {names(sweep::Axis::model, {"gpt3-6.7b"}),
                     names(sweep::Axis::cluster, {"dgx-h100-ndr400"}),
                     numbers(sweep::Axis::global_batch, {32}),
                     numbers(sweep::Axis::tp, {2}),
                     numbers(sweep::Axis::pp, {2}),
                     numbers(sweep::Axis::dp, {4}),
                     names(sweep::Axis::framework, {framework}),
                     names(sweep::Axis::recipe, {recipe})};
  const sweep::DesignSpace space(spec, inputs.catalog);
  simulate::Workspace ws;
  return simulate::simulate(space.at(0), inputs.catalog, inputs.calibration, ws);
}

TEST(NamedRecipeLaws, ARecipeIsTheFrameworkWithItsValuesWrittenOut) {
  const support::fs::path folder =
      support::fs::temp_directory_path() / ("echo-recipe-laws-" + std::to_string(::getpid()));
  constexpr const char* head = "source = \"drawn\"\ngrade = \"vendor\"\n";
  int steps = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const std::string choices = drawn_choices(seed);
    const std::string framework = seed % 2 == 0 ? "megatron-core" : "torchtitan";
    SCOPED_TRACE(framework + "\n" + choices);
    support::write_file(folder / "recipes" / "drawn.toml", std::string("name = \"drawn\"\n") + head +
                                                               "frameworks = [\"" + framework +
                                                               "\"]\n[choices]\n" + choices);
    support::write_file(
        folder / "frameworks" / "written-out.toml",
        std::string("name = \"written-out\"\n") + head + "base = \"" + framework + "\"\n" + choices);
    const CatalogInputs inputs = read_catalog({folder.string(), support::source_dir() + "/sweeps/catalog"});
    const simulate::Catalog& catalog = inputs.catalog;
    training::FrameworkSpec laid =
        catalog.framework(training::FrameworkId(find_named(catalog.frameworks, framework)),
                          training::RecipeId(find_named(catalog.recipes, "drawn")));
    const training::FrameworkSpec written =
        catalog.frameworks[static_cast<std::size_t>(find_named(catalog.frameworks, "written-out"))];
    EXPECT_EQ(laid.recipe_name, "drawn");
    laid.name = written.name, laid.base = written.base, laid.source = written.source;
    laid.recipe_name.clear();
    EXPECT_EQ(laid, written);
    const simulate::StepReport by_recipe = first_step(inputs, framework.c_str(), "drawn"),
                               by_preset = first_step(inputs, "written-out", "none");
    EXPECT_EQ(by_recipe.status, by_preset.status);
    EXPECT_EQ(by_recipe.step, by_preset.step);
    EXPECT_EQ(by_recipe.memory_peak, by_preset.memory_peak);
    steps += by_recipe.status == training::Status::ok ? 1 : 0;
  }
  support::fs::remove_all(folder);
  EXPECT_GE(steps, 15);
}

// What the sweep names itself wins over the recipe, whatever that says.
TEST(NamedRecipeLaws, AnExplicitAxisIsTheSameWithAndWithoutTheRecipe) {
  const CatalogInputs inputs = read_catalog({support::source_dir() + "/sweeps/catalog"});
  const auto point = [&](const char* recipe, sweep::Dimension own) {
    sweep::SweepSpec spec;
    using support::names;
    using support::numbers;
    spec.dimensions = {names(sweep::Axis::model, {"gpt3-6.7b"}),
                       names(sweep::Axis::cluster, {"dgx-h100-ndr400"}),
                       numbers(sweep::Axis::global_batch, {32}),
                       numbers(sweep::Axis::tp, {2}),
                       numbers(sweep::Axis::dp, {4}),
                       names(sweep::Axis::framework, {"nemo"}),
                       names(sweep::Axis::recipe, {recipe}),
                       std::move(own)};
    return sweep::DesignSpace(spec, inputs.catalog).at(0);
  };
  int seen = 0;
  for (const sweep::AxisInfo& info : sweep::axis_table) {
    if (info.kind != training::AxisKind::flag || info.holder == training::AxisHolder::fabric) continue;
    for (const std::int64_t value : {0, 1})
      for (const char* recipe : {"none", "nvidia-performance", "mlperf-v5.1"}) {
        const training::TrainingConfig config = point(recipe, support::numbers(info.axis, {value}));
        if (sweep::irrelevant_axes(config, inputs.catalog).test(at(info.axis))) continue;
        ++seen;
        EXPECT_EQ(training::member_of(info.axis).get(config), value) << info.name << " under " << recipe;
      }
  }
  EXPECT_GE(seen, 40);
}

}  // namespace
}  // namespace echo::config
