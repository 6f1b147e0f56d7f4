#include "parallel/dispatch/id_set.hpp"
#include "tests/support/sanitized.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace echo::parallel {
namespace {

using Plain = std::set<sweep::PointIndex>;

Plain plain(const IdSet& set) {
  Plain ids;
  for (const auto& range : set.ranges())
    for (sweep::PointIndex id = range.begin; id < range.end; ++id) ids.insert(id);
  return ids;
}

IdSet random_set(std::mt19937& random) {
  std::vector<sweep::IdRange> ranges;
  for (std::size_t i = random() % 8; i > 0; --i) {
    const auto begin = static_cast<sweep::PointIndex>(random() % 60);
    ranges.push_back({begin, begin + static_cast<sweep::PointIndex>(random() % 10)});
  }
  return IdSet(std::move(ranges));
}

TEST(IdSet, ComputesAsASetOfNumbersDoes) {
  std::mt19937 random(1);
  for (int trial = 0; trial < support::trials(500); ++trial) {
    const IdSet a = random_set(random), b = random_set(random);
    Plain both = plain(a), common, rest;
    for (const auto id : plain(b)) both.insert(id);
    for (const auto id : plain(a)) (plain(b).contains(id) ? common : rest).insert(id);
    EXPECT_EQ(plain(unite(a, b)), both);
    EXPECT_EQ(plain(intersect(a, b)), common);
    EXPECT_EQ(plain(subtract(a, b)), rest);
    EXPECT_EQ(a.count(), std::ssize(plain(a)));
    for (sweep::PointIndex id = -1; id < 72; ++id) EXPECT_EQ(a.contains(id), plain(a).contains(id));
  }
}

TEST(IdSet, JoinsRangesThatTouch) {
  const IdSet set({{4, 6}, {0, 2}, {2, 4}, {9, 9}});
  ASSERT_EQ(set.ranges().size(), 1u);
  EXPECT_EQ(set.ranges()[0], (sweep::IdRange{0, 6}));
}

}  // namespace
}  // namespace echo::parallel
