#include "training/overruled.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fixtures.hpp"

namespace echo::training {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A config in which the framework decides everything.
TrainingConfig as_decided(const FrameworkSpec& f, Degrees degrees) {
  TrainingConfig c = support::a_config(degrees);
  c.zero = f.zero, c.recompute = f.recompute, c.overlap = f.overlap, c.recipe = f.recipe;
  c.sequence_parallel = f.sequence_parallel, c.flash_attention = f.flash_attention;
  return c;
}

TEST(Overruled, NamesWhatASweepSetOtherwise) {
  FrameworkSpec f = support::plain_framework();
  f.overlap = {.grad_reduce = true, .param_gather = true, .pipeline = true, .tensor = true};
  TrainingConfig c = as_decided(f, {.tensor = 2, .pipeline = 2, .data = 2});
  EXPECT_THAT(set_otherwise(c, f), IsEmpty());
  c.overlap.tensor = false;
  c.recipe.cuda_graphs = !f.recipe.cuda_graphs;
  EXPECT_THAT(set_otherwise(c, f), ElementsAre(Axis::overlap_tp, Axis::cuda_graphs));
  EXPECT_EQ(overruled_axes(c, f), 0);  // no recipe to overrule
  c.named_recipe = RecipeId(0);
  EXPECT_EQ(overruled_axes(c, f), 2);
}

TEST(Overruled, AsksNothingOfWhatIsNotThere) {
  FrameworkSpec f = support::plain_framework();
  f.overlap = {.grad_reduce = true, .param_gather = true, .pipeline = true, .tensor = true};
  f.sequence_parallel = true;
  TrainingConfig c = as_decided(f, {.tensor = 1, .pipeline = 1, .data = 1});
  c.sequence_parallel = c.overlap.tensor = c.overlap.pipeline = c.overlap.grad_reduce = false;
  EXPECT_THAT(set_otherwise(c, f), IsEmpty());
}

}  // namespace
}  // namespace echo::training
