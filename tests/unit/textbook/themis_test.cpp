#include "textbook/themis.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "base/at.hpp"
#include "textbook/hierarchy.hpp"

namespace echo::textbook {
namespace {

Dimension on_switch(std::int32_t size, double gigabytes) {
  return {.kind = DimensionKind::switched, .size = size, .bandwidth = BytesPerSecond(gigabytes * 1e9)};
}

std::vector<double> loads_of(const std::vector<OrderedChunk>& chunks, std::span<const Dimension> dimensions) {
  std::vector<double> load(dimensions.size(), 0.0);
  for (const OrderedChunk& chunk : chunks) {
    auto size = static_cast<double>(chunk.bytes);
    for (const std::int32_t d : chunk.order) {
      load[at(d)] +=
          size * (dimensions[at(d)].size - 1.0) / dimensions[at(d)].size / dimensions[at(d)].cable().value;
      size /= dimensions[at(d)].size;
    }
  }
  return load;
}

TEST(Themis, PartsEveryByteOnce) {
  const std::vector<Dimension> three{on_switch(4, 400), on_switch(8, 50), on_switch(2, 300)};
  for (const ChunkSizes sizes : {ChunkSizes::equal, ChunkSizes::level}) {
    for (const std::int64_t bytes : {1, 7, 1000, 123456789}) {
      for (const std::int64_t count : {1, 4, 64}) {
        const auto chunks = themis_chunks(bytes, count, sizes, three);
        std::int64_t sum = 0;
        for (const OrderedChunk& chunk : chunks) {
          sum += chunk.bytes;
          EXPECT_GT(chunk.bytes, 0);
          std::vector<std::int32_t> sorted = chunk.order;
          std::ranges::sort(sorted);
          EXPECT_EQ(sorted, (std::vector<std::int32_t>{0, 1, 2}));
        }
        EXPECT_EQ(sum, bytes);
        EXPECT_LE(static_cast<std::int64_t>(chunks.size()),
                  std::max(bytes / std::max<std::int64_t>(1, bytes / count) + 1, std::int64_t{1}));
      }
    }
  }
}

// Two equal dimensions of 4 at one rate. The first chunk of 16 takes them as they are, 12 bytes and 3; the
// second first where 9 bytes of load are lacking, which a chunk of 12 makes good: less than 16, as it is.
TEST(Themis, ByHand) {
  const std::vector<Dimension> two{on_switch(4, 1), on_switch(4, 1)};
  const auto level = themis_chunks(64, 4, ChunkSizes::level, two);
  EXPECT_EQ(level[0], (OrderedChunk{16, {0, 1}}));
  EXPECT_EQ(level[1], (OrderedChunk{16, {0, 1}}));
  EXPECT_EQ(level[2], (OrderedChunk{24, {1, 0}}));  // 24 and 6 behind: 18 x 4/3
  EXPECT_EQ(level[3].bytes, 8);
  const auto equal = themis_chunks(64, 4, ChunkSizes::equal, two);
  EXPECT_EQ(equal[1], (OrderedChunk{16, {1, 0}}));
  EXPECT_EQ(equal[2], (OrderedChunk{16, {0, 1}}));
}

TEST(Themis, LevelsWhatDimensionsHaveToDo) {
  const std::vector<Dimension> uneven{on_switch(4, 100), on_switch(4, 100), on_switch(4, 100)};
  const auto plain = loads_of({{1 << 30, {0, 1, 2}}}, uneven);
  const auto level = loads_of(themis_chunks(1 << 30, 64, ChunkSizes::level, uneven), uneven);
  const auto spread = [](const std::vector<double>& loads) {
    return *std::ranges::max_element(loads) / *std::ranges::min_element(loads);
  };
  EXPECT_GT(spread(plain), 15.0);
  EXPECT_LT(spread(level), 1.1);
}

// Where outer dimensions are as wide as the inner one, chunks that begin there use what lies idle otherwise.
TEST(Themis, ShortensAnAllReduceOverEqualDimensions) {
  std::vector<Step> scratch;
  const std::vector<Dimension> two{on_switch(8, 100), on_switch(8, 100)};
  const Call call{ops::CollectiveKind::all_reduce, 1 << 30};
  const auto time = [&](ops::DimensionOrder order) {
    return hierarchical(call, two, {.chunks = 64, .order = order}, scratch).cost.time();
  };
  EXPECT_LT(time(ops::DimensionOrder::themis), scaled(time(ops::DimensionOrder::inner_first), 0.7));
}

}  // namespace
}  // namespace echo::textbook
