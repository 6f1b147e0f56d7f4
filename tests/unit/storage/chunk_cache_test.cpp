// A cache gives back what was kept last, and never holds more than it may.
#include "storage/chunk_cache.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <vector>

#include "base/counter_rng.hpp"

namespace echo::storage {
namespace {

// What the chunk of a dataset holds: bytes that tell it from all others.
ChunkCache::Values chunk(std::uint64_t dataset, std::uint64_t first, std::size_t bytes) {
  ChunkCache::Values values(bytes);
  const std::uint64_t mark = mix(mix(dataset) ^ first);
  std::memcpy(values.data(), &mark, sizeof mark);
  return values;
}

TEST(ChunkCache, GivesBackEveryChunkOrNone) {
  constexpr std::size_t most = 64 * 256;
  const std::array<int, 5> datasets{};
  ChunkCache cache(most);
  int found = 0;
  for (std::uint64_t turn = 0; turn < 4000; ++turn) {
    const std::uint64_t dataset = draw(1, turn, 0) % datasets.size(), first = draw(1, turn, 1) % 24;
    const auto expected = chunk(dataset, first, 64 + 8 * dataset);
    if (const auto* known = cache.find(&datasets[dataset], first)) {
      ASSERT_EQ(*known, expected);
      ++found;
    } else {
      ChunkCache::Values values = expected;
      cache.keep(&datasets[dataset], first, values);
      ASSERT_NE(cache.find(&datasets[dataset], first), nullptr);
    }
    ASSERT_LE(cache.bytes(), most);
  }
  EXPECT_GT(found, 1000);
}

TEST(ChunkCache, LeavesOutWhatWouldTakeTheRoomOfMany) {
  const int dataset = 0;
  ChunkCache cache(6400);
  ChunkCache::Values values = chunk(0, 0, 101);
  cache.keep(&dataset, 0, values);
  EXPECT_EQ(cache.find(&dataset, 0), nullptr);
  EXPECT_EQ(values, chunk(0, 0, 101));
}

TEST(ChunkCache, ForgetsEverything) {
  const int dataset = 0;
  ChunkCache cache(6400);
  ChunkCache::Values values = chunk(0, 0, 100);
  cache.keep(&dataset, 0, values);
  cache.clear();
  EXPECT_EQ(cache.find(&dataset, 0), nullptr);
  EXPECT_EQ(cache.bytes(), 0U);
}

// A scan over more than there is room for, again and again: the first chunks do not always make way for the
// last.
TEST(ChunkCache, FindsAPartOfAScanThatIsTooLong) {
  const int dataset = 0;
  ChunkCache cache(100 * 64);
  int found = 0;
  for (int scan = 0; scan < 20; ++scan)
    for (std::uint64_t first = 0; first < 150; ++first)
      if (cache.find(&dataset, first) != nullptr) {
        ++found;
      } else {
        ChunkCache::Values values = chunk(0, first, 64);
        cache.keep(&dataset, first, values);
      }
  EXPECT_GT(found, 20 * 150 / 4);
}

}  // namespace
}  // namespace echo::storage
