#include "sweep/choice/overruled.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/named_table.hpp"
#include "tests/support/small_space.hpp"
#include "timeline/schedule.hpp"

namespace echo::sweep {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

simulate::Catalog with_a_recipe() {
  simulate::Catalog catalog = support::small_catalog();
  training::FrameworkSpec laid = catalog.frameworks[0];
  laid.recipe_name = "fast";
  laid.overlap = {.grad_reduce = true, .param_gather = true, .pipeline = true, .tensor = true};
  laid.sequence_parallel = true;
  laid.recipe.overlaps_shared_experts = true;  // of no matter to a dense model
  catalog.recipes = {{.name = "fast", .over = {laid, {}}, .source = "here"}};
  return catalog;
}

// A config in which the framework under the recipe decides everything.
training::TrainingConfig as_decided(const simulate::Catalog& catalog, training::Degrees degrees) {
  training::TrainingConfig c = support::a_config(degrees);
  c.model = training::ModelId(0);
  c.cluster = machine::ClusterId(0);
  c.framework = training::FrameworkId(0);
  c.named_recipe = training::RecipeId(0);
  c.schedule = training::ScheduleId(find_named(timeline::schedule_table(), "1f1b"));
  const training::FrameworkSpec& f = catalog.framework(c);
  c.zero = f.zero, c.recompute = f.recompute, c.overlap = f.overlap, c.recipe = f.recipe;
  c.sequence_parallel = f.sequence_parallel, c.flash_attention = f.flash_attention;
  return c;
}

TEST(Overruled, NamesWhatASweepSetOtherwiseThanTheRecipe) {
  const simulate::Catalog catalog = with_a_recipe();
  training::TrainingConfig c = as_decided(catalog, {.tensor = 2, .pipeline = 2, .data = 2});
  EXPECT_THAT(overruled_axes(c, catalog), IsEmpty());
  c.overlap.tensor = false;
  c.recipe.cuda_graphs = true;
  EXPECT_THAT(overruled_axes(c, catalog),
              ElementsAre(training::Axis::overlap_tp, training::Axis::cuda_graphs));
  c.named_recipe = {};  // nothing to overrule
  EXPECT_THAT(overruled_axes(c, catalog), IsEmpty());
}

TEST(Overruled, LeavesOutWhatDoesNotMatter) {
  const simulate::Catalog catalog = with_a_recipe();
  training::TrainingConfig c = as_decided(catalog, {.tensor = 1, .pipeline = 1, .data = 1});
  c.sequence_parallel = c.recipe.overlaps_shared_experts = false;
  c.overlap = {};
  EXPECT_THAT(overruled_axes(c, catalog), IsEmpty());
}

}  // namespace
}  // namespace echo::sweep
