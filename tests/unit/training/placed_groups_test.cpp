#include "training/layout/placed_groups.hpp"

#include <gtest/gtest.h>

#include "machine/placement.hpp"
#include "training/layout/rank_layout.hpp"

namespace echo::training {
namespace {

using machine::GroupSpan;
using machine::Placement;

// 32 GPUs on four nodes of eight.
GroupSpan span(Placement placement, std::int32_t ranks, std::int32_t stride, std::int32_t inner = 1) {
  std::vector<std::int32_t> slots, counts;
  machine::place_ranks(placement, 32, 8, 3, slots);
  if (placement == Placement::packed)
    for (std::int32_t i = 0; i < 32; ++i) slots.push_back(i);
  return placed_span(ranks, inner, stride, {8, 8, 32, slots, counts});
}

// Looked up, a packed group has the shape that follows from its stride.
TEST(PlacedGroups, AgreeWithTheClosedFormWherePacked) {
  for (std::int32_t ranks : {1, 2, 4, 8, 16, 32}) {
    for (std::int32_t stride = 1; stride * ranks <= 32; stride *= 2) {
      GroupSpan looked_up = span(Placement::packed, ranks, stride);
      const GroupSpan closed = span_of(ranks, stride, 8, 32);
      EXPECT_EQ(looked_up.nodes, closed.nodes) << ranks << " by " << stride;
      EXPECT_EQ(looked_up.ranks_per_node, closed.ranks_per_node) << ranks << " by " << stride;
      EXPECT_EQ(looked_up.sharing, closed.sharing) << ranks << " by " << stride;
    }
  }
}

TEST(PlacedGroups, ByRailTurnNeighboursIntoRails) {
  const GroupSpan tensor = span(Placement::by_rail, 4, 1);
  EXPECT_EQ(tensor.nodes, 4);
  EXPECT_EQ(tensor.ranks_per_node, 1);
  EXPECT_EQ(tensor.stride, 8);
  EXPECT_EQ(tensor.sharing, 8);
  const GroupSpan data = span(Placement::by_rail, 8, 4);
  EXPECT_EQ(data.nodes, 1);
  EXPECT_EQ(data.ranks_per_node, 8);
  EXPECT_EQ(span(Placement::by_rail, 8, 1).ranks_per_node, 2);
}

TEST(PlacedGroups, ScatteredReachAcrossTheMachine) {
  const GroupSpan two = span(Placement::scattered, 2, 8);
  EXPECT_EQ(two.nodes, 2);
  EXPECT_GE(two.extent, 3);  // with this seed
  EXPECT_EQ(span(Placement::scattered, 8, 1).nodes, 1);
}

TEST(PlacedGroups, TakeRunsOfRanks) {  // tensor 2 of each of four stages
  const GroupSpan model = span(Placement::packed, 8, 8, 2);
  EXPECT_EQ(model.nodes, 4);
  EXPECT_EQ(model.ranks_per_node, 2);
}

}  // namespace
}  // namespace echo::training
