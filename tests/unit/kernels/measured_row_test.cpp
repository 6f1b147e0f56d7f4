#include "kernels/database/measured_row.hpp"

#include <gtest/gtest.h>

#include "kernels/price_kernels.hpp"
#include "tests/support/kernel_fixtures.hpp"

namespace echo::kernels {
namespace {

using testing::gemm, testing::h100, testing::ideal_constants, testing::plausible_constants;

double seconds(const ops::KernelKey& key, RowScope scope, const KernelConstants& c) {
  return to_seconds(price_row(key, scope, h100(), c).alone);
}

TEST(PriceRow, RunsAtTheClocksOfABenchmarkNotOfAStep) {
  const KernelConstants c = plausible_constants();
  const auto key = gemm(4096, 4096, 1024);
  EXPECT_EQ(price_row(key, RowScope::kernel, h100(), c), price_kernel(key, h100(), c, Clocks::benchmark));
  EXPECT_LT(price_row(key, RowScope::kernel, h100(), c).alone, price_kernel(key, h100(), c).alone);
}

TEST(PriceRow, AServerQuantisesTheOperandOfAnEightBitProduct) {
  auto key = gemm(4096, 4096, 4096);
  const KernelConstants c = ideal_constants();
  EXPECT_EQ(seconds(key, RowScope::serving, c), seconds(key, RowScope::kernel, c));
  key.precision = machine::Precision::fp8;
  EXPECT_GT(seconds(key, RowScope::serving, c), seconds(key, RowScope::kernel, c));
  auto wider = key;
  wider.n *= 2;  // the operand stays the same
  const auto extra = [&](const auto& k) {
    return seconds(k, RowScope::serving, c) - seconds(k, RowScope::kernel, c);
  };
  EXPECT_NEAR(extra(wider), extra(key), 1e-11);
}

TEST(PriceRow, AServerCopiesKeysAndValuesIntoItsCache) {
  const ops::KernelKey key{.kind = ops::KernelKind::attention_forward,
                           .causal = true,
                           .m = 4096,
                           .n = 4096,
                           .k = 128,
                           .batch = 32,
                           .groups = 8};
  const double cache = 2.0 * 4096 * 128 * 8 * 2;  // keys and values, 2 bytes each
  EXPECT_NEAR(
      seconds(key, RowScope::serving, ideal_constants()) - seconds(key, RowScope::kernel, ideal_constants()),
      2 * cache / 3352e9, 1e-11);
}

TEST(PriceRow, ALibrarysOwnConstantsHoldWhatItDoesAround) {
  KernelConstants c = ideal_constants();
  c.libraries = {ideal_constants()};
  c.libraries[0].library = ops::KernelLibrary::sglang;
  auto key = gemm(4096, 4096, 4096);
  key.precision = machine::Precision::fp8;
  key.library = ops::KernelLibrary::trtllm;  // has none of its own
  EXPECT_GT(seconds(key, RowScope::serving, c), seconds(key, RowScope::kernel, c));
  key.library = ops::KernelLibrary::sglang;  // has a set, in which nothing of products is its own
  EXPECT_GT(seconds(key, RowScope::serving, c), seconds(key, RowScope::kernel, c));
  EXPECT_FALSE(has_own_constants(key, c));
  c.libraries[0].gemm_ramp = 5e-6;
  EXPECT_EQ(seconds(key, RowScope::serving, c), seconds(key, RowScope::kernel, c));
  EXPECT_TRUE(has_own_constants(key, c));
  key.kind = ops::KernelKind::attention_forward;
  EXPECT_FALSE(has_own_constants(key, c));
}

}  // namespace
}  // namespace echo::kernels
