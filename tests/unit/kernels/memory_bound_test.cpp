#include "kernels/mechanisms/memory_bound.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/price_kernels.hpp"
#include "tests/support/kernel_fixtures.hpp"

namespace echo::kernels {
namespace {

using ops::KernelKind, ops::KernelStyle;
using testing::a100, testing::ideal_constants, testing::plausible_constants;

TEST(PriceMemoryBound, IdealTimeIsTrafficOverBandwidth) {
  const ops::KernelKey key{.kind = KernelKind::norm_forward, .m = 4096, .n = 12288};
  EXPECT_EQ(price_kernel(key, a100(), ideal_constants()).alone,
            ops::traffic_of(key) / a100().memory_bandwidth);
}

TEST(PriceMemoryBound, HalfTheBandwidthIsReachedAtHalfBytes) {
  KernelConstants c = ideal_constants();
  c.memory_half = 8e6;
  const ops::KernelKey key{.kind = KernelKind::elementwise, .m = 2000, .n = 1000};  // 8 MB
  EXPECT_NEAR(price_kernel(key, a100(), c).memory_share, 0.5, 1e-6);
}

TEST(PriceMemoryBound, EagerChainsPayTheirStartForEachKernel) {
  KernelConstants c = plausible_constants();
  ops::KernelKey key{.kind = KernelKind::rope, .m = 1, .n = 128};
  const SimTime fused = price_kernel(key, a100(), c).alone;
  key.style = KernelStyle::eager;
  EXPECT_GT(price_kernel(key, a100(), c).alone, 3 * fused);
}

TEST(PriceMemoryBound, TwiceTheRowsOfALargeTensorTakeNearlyTwiceAsLong) {
  const ops::KernelKey one{.kind = KernelKind::residual_forward, .m = 16384, .n = 8192};
  ops::KernelKey two = one;
  two.m *= 2;
  const double ratio = to_seconds(price_kernel(two, a100(), plausible_constants()).alone) /
                       to_seconds(price_kernel(one, a100(), plausible_constants()).alone);
  EXPECT_GT(ratio, 1.9);
  EXPECT_LE(ratio, 2.0);
}

TEST(PriceMemoryBound, LosingSmsCostsNothingToTheModel) {
  EXPECT_EQ(
      price_kernel({.kind = KernelKind::optimizer, .m = 1000000, .n = 30}, a100(), plausible_constants())
          .compute_bound,
      0.0);
}

TEST(KernelConstants, FieldTableNamesEveryDoubleOnce) {
  const auto fields = kernel_constant_fields();
  const auto errors = std::count_if(fields.begin(), fields.end(),
                                    [](const KernelConstantField& field) { return field.error != nullptr; });
  const std::size_t others = sizeof(std::string) + sizeof(double) +  // name; library, padded
                             static_cast<std::size_t>(errors) * sizeof(double) +
                             knots_fields().size() * sizeof(Knots) + sizeof(KernelConstants::libraries);
  EXPECT_EQ(sizeof(KernelConstants) - others, fields.size() * sizeof(double));
  const KernelConstants fresh;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    KernelConstants c;
    c.*fields[i].member = 777.0;
    for (std::size_t j = 0; j < fields.size(); ++j) {
      EXPECT_EQ(c.*fields[j].member, i == j ? 777.0 : fresh.*fields[j].member)
          << fields[i].name << " and " << fields[j].name;
      if (i != j) {
        EXPECT_STRNE(fields[i].name, fields[j].name);
      }
    }
  }
}

TEST(PriceKernels, FillsOneAnswerAQuestionInOrder) {
  const std::vector<ops::KernelKey> keys{testing::gemm(1024, 1024, 1024),
                                         {.kind = KernelKind::memset_zero, .m = 100, .n = 4}};
  std::vector<ops::KernelPrice> prices(2);
  price_kernels(keys, a100(), plausible_constants(), prices);
  for (std::size_t i = 0; i < keys.size(); ++i)
    EXPECT_EQ(prices[i], price_kernel(keys[i], a100(), plausible_constants()));
}

}  // namespace
}  // namespace echo::kernels
