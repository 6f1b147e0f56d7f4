#include "machine/placement.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace echo::machine {
namespace {

std::vector<std::int32_t> placed(Placement placement, std::int32_t gpus, std::int32_t domain,
                                 std::uint64_t seed = 0) {
  std::vector<std::int32_t> out;
  place_ranks(placement, gpus, domain, seed, out);
  return out;
}

TEST(Placement, IsNothingWherePackedOrOneNode) {
  EXPECT_TRUE(placed(Placement::packed, 32, 8).empty());
  EXPECT_TRUE(placed(Placement::by_rail, 8, 8).empty());
  EXPECT_TRUE(placed(Placement::scattered, 4, 8).empty());
}

TEST(Placement, ByRailPutsConsecutiveRanksOnOtherNodes) {
  EXPECT_EQ(placed(Placement::by_rail, 6, 3), (std::vector<std::int32_t>{0, 3, 1, 4, 2, 5}));
}

TEST(Placement, ScattersWholeNodesBySeed) {
  const auto one = placed(Placement::scattered, 64, 4, 1), other = placed(Placement::scattered, 64, 4, 2);
  EXPECT_EQ(one, placed(Placement::scattered, 64, 4, 1));
  EXPECT_NE(one, other);
  for (std::size_t rank = 0; rank < one.size(); ++rank)
    EXPECT_EQ(one[rank], one[rank / 4 * 4] + static_cast<std::int32_t>(rank % 4));
  auto sorted = one;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < sorted.size(); ++i) EXPECT_EQ(sorted[i], static_cast<std::int32_t>(i));
}

}  // namespace
}  // namespace echo::machine
