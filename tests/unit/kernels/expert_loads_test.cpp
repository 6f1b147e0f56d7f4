#include "kernels/mechanisms/expert_loads.hpp"

#include <gtest/gtest.h>

namespace echo::kernels {
namespace {

ops::KernelKey experts(std::int32_t tokens, std::int32_t count, std::int32_t choices,
                       std::int32_t unevenness) {
  ops::KernelKey key{.kind = ops::KernelKind::expert_ffn, .m = tokens, .batch = count, .groups = choices};
  key.routing.unevenness = unevenness;
  return key;
}

double sum(const ExpertLoads& loads) {
  double rows = 0.0;
  for (const double one : loads.rows) rows += one * loads.experts;
  return rows;
}

TEST(ExpertLoads, SumToTheRows) {
  for (const std::int32_t unevenness : {0, 5, 100})
    for (const std::int32_t count : {2, 8, 40, 512})
      EXPECT_NEAR(sum(loads_of(experts(4096, count, 2, unevenness))), 8192, 1e-6)
          << unevenness << " " << count;
}

TEST(ExpertLoads, NoExpertHasMoreRowsThanThereAreTokens) {
  const ExpertLoads loads = loads_of(experts(4096, 8, 2, 5));
  for (const double one : loads.rows) EXPECT_LE(one, 4096);
  EXPECT_EQ(loads.rows[7], 4096);
}

TEST(ExpertLoads, OfAPowerLawSpanManyOctaves) {
  const ExpertLoads loads = loads_of(experts(4096, 128, 8, 100));
  EXPECT_GT(loads.rows[15], 100 * loads.rows[0]);
}

TEST(ExpertLoads, PadToWholeBlocksWhenEven) {
  EXPECT_EQ(padded(even_loads(129, 4), 0, 64, 1.0 / 64), 192);
  EXPECT_EQ(padded(even_loads(128, 4), 0, 64, 1.0 / 64), 128);
}

TEST(ExpertLoads, PadByHalfABlockOnAverageWhenUneven) {
  ExpertLoads loads = even_loads(1000, 4);
  loads.even = false;
  EXPECT_EQ(padded(loads, 0, 64, 1.0 / 64), 1032);
  loads.rows[0] = 3;
  EXPECT_EQ(padded(loads, 0, 64, 1.0 / 64), 64);
}

}  // namespace
}  // namespace echo::kernels
