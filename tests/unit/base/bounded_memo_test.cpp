#include "base/bounded_memo.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace echo {
namespace {

struct Spread {
  std::size_t operator()(std::int64_t key) const {
    return static_cast<std::size_t>(key) * 0x9E3779B97F4A7C15U >> 20;
  }
};
using Squares = BoundedMemo<std::int64_t, std::int64_t, Spread>;

TEST(BoundedMemo, GivesTheValueOfItsKeyForAnyBound) {
  for (const std::size_t most : {1, 2, 63, 64, 1000, 4096}) {
    Squares memo(most);
    for (std::int64_t i = 0; i < 20'000; ++i) {
      const std::int64_t key = i * i % 977;
      ASSERT_EQ(memo.of(key, [&] { return key * key; }), key * key);
      ASSERT_LE(memo.places(), most);
    }
    EXPECT_EQ(memo.count().asked, 20'000);
    EXPECT_LE(memo.count().known, 20'000);
  }
}

TEST(BoundedMemo, KnowsWhatItWasAskedWhileThereIsRoom) {
  Squares memo(4096);
  for (int round = 0; round < 10; ++round)
    for (std::int64_t key = 0; key < 20; ++key) (void)memo.of(key, [&] { return key * key; });
  EXPECT_GT(memo.count().known, 150);
  memo.clear();
  const std::int64_t known = memo.count().known;
  (void)memo.of(3, [] { return 9; });
  EXPECT_EQ(memo.count().known, known);
}

TEST(BoundedMemo, ForgetsWhatCouldNotBeMade) {
  Squares memo(1);
  EXPECT_EQ(memo.of(1, [] { return 1; }), 1);
  EXPECT_THROW((void)memo.of(2, []() -> std::int64_t { throw std::runtime_error("no"); }),
               std::runtime_error);
  EXPECT_EQ(memo.of(2, [] { return 4; }), 4);
  EXPECT_EQ(memo.of(1, [] { return 1; }), 1);
}

}  // namespace
}  // namespace echo
