#include "parallel/dispatch/shard.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace echo::parallel {
namespace {

TEST(Shards, ShareOutEveryPointOnce) {
  for (const sweep::PointIndex size : {0, 1, 63, 64, 1000, 12345}) {
    for (const std::int32_t count : {1, 2, 7}) {
      IdSet all;
      std::int64_t sum = 0;
      for (std::int32_t number = 1; number <= count; ++number) {
        const IdSet own = ids_of(Shard{number, count}, size);
        sum += own.count();
        all = unite(all, own);
      }
      EXPECT_EQ(sum, size);
      EXPECT_EQ(all, IdSet({{0, size}}));
    }
  }
}

TEST(Shards, HaveNamesOfTheirOwn) {
  EXPECT_EQ(file_of(parse_shard("2/8"), "out/a.h5"), "out/a.shard-2-of-8.h5");
  EXPECT_EQ(file_of(parse_shard(""), "out/a.h5"), "out/a.h5");
  EXPECT_EQ(text_of(parse_shard("3/4")), "3/4");
  for (const char* wrong : {"0/4", "5/4", "1", "/", "1/", "a/b", "1/2/3", "-1/2"})
    EXPECT_THROW(static_cast<void>(parse_shard(wrong)), UserError) << wrong;
}

}  // namespace
}  // namespace echo::parallel
