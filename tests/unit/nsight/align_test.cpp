#include "nsight/align.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/counter_rng.hpp"

namespace echo::nsight {
namespace {

using Sequence = std::vector<std::int32_t>;

// The textbook table: most matches of the first i and the first j.
std::size_t most_matches(const Sequence& a, const Sequence& b) {
  std::vector<std::vector<std::size_t>> best(a.size() + 1, std::vector<std::size_t>(b.size() + 1, 0));
  for (std::size_t i = 1; i <= a.size(); ++i)
    for (std::size_t j = 1; j <= b.size(); ++j)
      best[i][j] = a[i - 1] == b[j - 1] ? best[i - 1][j - 1] + 1 : std::max(best[i - 1][j], best[i][j - 1]);
  return best[a.size()][b.size()];
}

Sequence random_sequence(std::uint64_t seed, std::size_t most) {
  Sequence out(mix(seed) % (most + 1));
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::int32_t>(mix(seed * 1000 + i) % 4);
  return out;
}

TEST(Align, FindsAsManyMatchesAsThereCanBe) {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    const Sequence a = random_sequence(2 * seed, 24), b = random_sequence(2 * seed + 1, 24);
    const auto matches = align(a, b, 1000);
    ASSERT_TRUE(matches.has_value());
    EXPECT_EQ(matches->size(), most_matches(a, b)) << seed;
    Match last{-1, -1};
    for (const Match& match : *matches) {
      EXPECT_TRUE(match.first > last.first && match.second > last.second) << seed;
      EXPECT_EQ(a.at(static_cast<std::size_t>(match.first)), b.at(static_cast<std::size_t>(match.second)))
          << seed;
      last = match;
    }
  }
}

TEST(Align, GivesUpBeyondTheMostThatMayBeApart) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const Sequence a = random_sequence(2 * seed, 16), b = random_sequence(2 * seed + 1, 16);
    const auto apart = static_cast<std::int32_t>(a.size() + b.size() - 2 * most_matches(a, b));
    EXPECT_TRUE(align(a, b, apart).has_value()) << seed;
    EXPECT_FALSE(align(a, b, apart - 1).has_value()) << seed;
  }
}

TEST(Align, LongRunsThatDifferInLittleAreSoonDone) {
  Sequence a(300000);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<std::int32_t>(mix(i) % 30);
  Sequence b = a;
  for (std::size_t i = 0; i < 100; ++i) b.insert(b.begin() + static_cast<std::ptrdiff_t>(2500 * i), 99);
  const auto matches = align(a, b, 5000);
  ASSERT_TRUE(matches.has_value());
  EXPECT_EQ(matches->size(), a.size());
}

}  // namespace
}  // namespace echo::nsight
