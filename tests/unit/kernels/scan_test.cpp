#include "kernels/mechanisms/scan.hpp"

#include <gtest/gtest.h>

#include "kernels/price_kernels.hpp"
#include "tests/support/kernel_fixtures.hpp"

namespace echo::kernels {
namespace {

using testing::a100, testing::h100, testing::plausible_constants;

// Nemotron-H 8B's: 128 heads of 64 channels, 8 groups, state 128, chunks of 128.
ops::KernelKey scan(std::int32_t tokens, ops::KernelKind kind = ops::KernelKind::scan_forward) {
  ops::KernelKey key{.kind = kind, .m = tokens, .n = 64, .k = 128, .batch = 128, .groups = 8};
  key.span = 128;
  return key;
}

double seconds(const ops::KernelKey& key, const machine::GpuSpec& gpu, const KernelConstants& c) {
  return to_seconds(price_kernel(key, gpu, c).alone);
}

// vllm-project/vllm pull request 27299: 1.07 to 1.29e7 tokens a second on an H100 without the gate, whose two
// tensors are 2 of 5 as wide as x.
TEST(PriceScan, PassesTheTokensThatWereMeasured) {
  ops::KernelKey key = scan(65536);
  key.groups = 1, key.span = 256;
  const double gate = 2.0 * 2 * 8192 / (static_cast<double>(ops::traffic_of(key).value) / 65536);
  const double without_gate = seconds(key, h100(), plausible_constants()) * (1.0 - gate);
  EXPECT_GT(65536 / without_gate, 1.0e7);
  EXPECT_LT(65536 / without_gate, 1.4e7);
  EXPECT_LT(price_kernel(key, h100(), plausible_constants()).compute_bound, 0.5);
}

TEST(PriceScan, GrowsInProportionToTokens) {
  const double short_time = seconds(scan(65536), h100(), plausible_constants()),
               long_time = seconds(scan(262144), h100(), plausible_constants());
  EXPECT_NEAR(long_time / short_time, 4.0, 0.05);
}

TEST(PriceScan, BackwardCostsTwoToFourForwards) {
  const double forward = seconds(scan(8192), a100(), plausible_constants()),
               backward = seconds(scan(8192, ops::KernelKind::scan_backward), a100(), plausible_constants());
  EXPECT_GT(backward, 2.0 * forward);
  EXPECT_LT(backward, 4.0 * forward);
}

// Dao and Gu 2024, figure 10: on an A100 the scan is faster than FlashAttention-2 from 2048 tokens on, and at
// 16384 by a factor of 6 (state 64, as many channels): the crossing, and the factor within two.
TEST(PriceScan, OvertakesAttentionWhereItsAuthorsSay) {
  const auto ratio = [](std::int32_t tokens) {
    ops::KernelKey attention{.kind = ops::KernelKind::attention_forward, .m = tokens, .n = tokens, .k = 64};
    attention.batch = attention.groups = 32, attention.causal = true;
    ops::KernelKey key = scan(tokens);
    key.k = 64, key.batch = 32, key.groups = 1, key.span = 256;
    return seconds(attention, a100(), plausible_constants()) / seconds(key, a100(), plausible_constants());
  };
  EXPECT_LT(ratio(1024), 1.0);
  EXPECT_GT(ratio(2048), 1.0);
  EXPECT_GT(ratio(16384), 6.0 / 2);
  EXPECT_LT(ratio(16384), 6.0 * 2);
}

}  // namespace
}  // namespace echo::kernels
