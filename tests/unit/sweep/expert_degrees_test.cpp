// What a sweep that names no expert-tensor degree gets.
#include <gtest/gtest.h>

#include "sweep/space/design_space.hpp"
#include "tests/support/small_space.hpp"

namespace echo::sweep {
namespace {

using support::names;
using support::numbers;
using support::small_sweep;

TEST(ExpertTensorDegree, FollowsTheTensorDegreeOfAMixtureAsInMegatron) {
  simulate::Catalog catalog = support::small_catalog();
  catalog.models.push_back(support::tiny_mixture());
  auto spec = small_sweep({numbers(Axis::tp, {1, 4}), numbers(Axis::dp, {8})});
  spec.dimensions[0] = names(Axis::model, {"tiny-gpt", "tiny-mixture"});
  const DesignSpace space(spec, catalog);
  ASSERT_EQ(space.size(), 4);
  for (std::int64_t id = 0; id < 4; ++id) {
    const training::TrainingConfig c = space.at(id);
    const bool mixes = catalog.model(c.model).has_experts();
    EXPECT_EQ(c.degrees.expert_tensor, mixes ? c.degrees.tensor : 1);
  }
}

TEST(ExpertTensorDegree, IsWhatTheSweepSays) {
  simulate::Catalog catalog = support::small_catalog();
  catalog.models.push_back(support::tiny_mixture());
  auto spec = small_sweep(
      {numbers(Axis::tp, {4}), numbers(Axis::dp, {8}), numbers(Axis::ep, {8}), numbers(Axis::etp, {1})});
  spec.dimensions[0] = names(Axis::model, {"tiny-mixture"});
  EXPECT_EQ(DesignSpace(spec, catalog).at(0).degrees.expert_tensor, 1);
}

// Megatron refuses both overlaps at once: a sweep that tries the all-to-alls' gets it, not a refusal.
TEST(SharedExperts, GiveWayToAllToAllsBesideAnotherMicrobatchUnlessTheSweepSaysOtherwise) {
  simulate::Catalog catalog = support::small_catalog();
  catalog.models.push_back(support::tiny_mixture());
  for (training::FrameworkSpec& framework : catalog.frameworks)
    framework.recipe.overlaps_shared_experts = true;
  auto spec =
      small_sweep({numbers(Axis::dp, {8}), numbers(Axis::ep, {8}), numbers(Axis::overlap_ep, {0, 1})});
  spec.dimensions[0] = names(Axis::model, {"tiny-mixture"});
  const DesignSpace left_open(spec, catalog);
  ASSERT_EQ(left_open.size(), 2);
  for (std::int64_t id = 0; id < 2; ++id) {
    const training::TrainingConfig c = left_open.at(id);
    EXPECT_EQ(c.recipe.overlaps_shared_experts, !c.recipe.overlap_ep);
  }
  spec.dimensions.push_back(numbers(Axis::overlaps_shared_experts, {1}));
  const DesignSpace asked(spec, catalog);
  for (std::int64_t id = 0; id < 2; ++id) EXPECT_TRUE(asked.at(id).recipe.overlaps_shared_experts);
}

}  // namespace
}  // namespace echo::sweep
