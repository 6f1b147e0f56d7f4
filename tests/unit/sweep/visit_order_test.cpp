// Like points are visited together, at the place of the first of them; every place once.
#include "sweep/run/visit_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "training/config.hpp"

namespace echo::sweep {
namespace {

training::AxisValues point(std::int32_t tensor, training::ZeroStage zero, bool overlapped) {
  training::TrainingConfig config;
  config.degrees.tensor = tensor;
  config.zero = zero;
  config.overlap.pipeline = overlapped;
  return training::values_of(config);
}

TEST(VisitOrder, PutsPointsOfTheSameWorkTogether) {
  using training::ZeroStage;
  VisitOrder order;
  for (const bool overlapped : {false, true})
    for (const ZeroStage zero : {ZeroStage::none, ZeroStage::optimizer, ZeroStage::gradients})
      order.add(point(8, zero, overlapped));
  const std::vector<std::int32_t> expected{0, 3, 1, 4, 2, 5};
  EXPECT_TRUE(std::ranges::equal(order.places(), expected));
}

TEST(VisitOrder, PutsBatchesOfTheSameWorkTogether) {
  VisitOrder order;
  for (const std::int32_t samples : {64, 128})
    for (const auto zero : {training::ZeroStage::none, training::ZeroStage::optimizer}) {
      training::TrainingConfig config;
      config.zero = zero;
      config.batch.global_samples = samples;
      order.add(training::values_of(config));
    }
  const std::vector<std::int32_t> expected{0, 2, 1, 3};
  EXPECT_TRUE(std::ranges::equal(order.places(), expected));
}

TEST(VisitOrder, PutsPointsTogetherWhoseStepsDifferInTheirEnds) {
  using training::ZeroStage;
  VisitOrder order;
  for (const ZeroStage zero : {ZeroStage::none, ZeroStage::optimizer})
    for (const std::int32_t tensor : {8, 2, 4})
      for (const bool overlapped : {false, true}) order.add(point(tensor, zero, overlapped));
  const std::vector<std::int32_t> expected{0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11};
  EXPECT_TRUE(std::ranges::equal(order.places(), expected));
  order.clear();
  EXPECT_TRUE(order.places().empty());
  order.add(point(1, ZeroStage::none, false));
  EXPECT_EQ(order.places().size(), 1U);
}

}  // namespace
}  // namespace echo::sweep
