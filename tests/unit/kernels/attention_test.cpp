#include "kernels/mechanisms/attention.hpp"

#include <gtest/gtest.h>

#include "kernels/price_kernels.hpp"
#include "tests/support/kernel_fixtures.hpp"

namespace echo::kernels {
namespace {

using testing::a100, testing::h100, testing::ideal_constants, testing::plausible_constants;

ops::KernelKey attention(ops::KernelKind kind, std::int32_t sequence, std::int32_t heads, std::int32_t dim) {
  return {.kind = kind, .m = sequence, .n = sequence, .k = dim, .batch = heads, .groups = heads};
}

double seconds(const ops::KernelKey& key, const machine::GpuSpec& gpu, const KernelConstants& c) {
  return to_seconds(price_kernel(key, gpu, c).alone);
}

TEST(PriceAttention, IdealFullAttentionTakesItsFlopsOverPeak) {
  const auto key = attention(ops::KernelKind::attention_forward, 4096, 108, 128);  // 32 blocks a SM
  EXPECT_NEAR(seconds(key, a100(), ideal_constants()), ops::flops_of(key).value / 312e12, 1e-12);
}

TEST(PriceAttention, CausalIsCheaperButNotHalf) {
  auto key = attention(ops::KernelKind::attention_forward, 4096, 64, 128);
  const double full = seconds(key, h100(), plausible_constants());
  key.causal = true;
  const double causal = seconds(key, h100(), plausible_constants());
  EXPECT_LT(causal, full);
  EXPECT_GT(causal, full / 2);
}

TEST(PriceAttention, BackwardCostsMoreThanTwiceForward) {
  const auto forward = attention(ops::KernelKind::attention_forward, 4096, 64, 128);
  const auto backward = attention(ops::KernelKind::attention_backward, 4096, 64, 128);
  EXPECT_GT(seconds(backward, h100(), plausible_constants()),
            2.0 * seconds(forward, h100(), plausible_constants()));
}

TEST(PriceAttention, SmallHeadsLoseMoreToSoftmax) {
  const auto small = attention(ops::KernelKind::attention_forward, 8192, 64, 64);
  const auto large = attention(ops::KernelKind::attention_forward, 8192, 64, 128);
  const double small_rate = ops::flops_of(small).value / seconds(small, h100(), plausible_constants());
  const double large_rate = ops::flops_of(large).value / seconds(large, h100(), plausible_constants());
  EXPECT_LT(small_rate, 0.85 * large_rate);
}

TEST(PriceAttention, HeadDimsArePaddedToThirtyTwo) {
  const auto odd = attention(ops::KernelKind::attention_forward, 4096, 64, 112);
  const auto even = attention(ops::KernelKind::attention_forward, 4096, 64, 128);
  EXPECT_EQ(seconds(odd, a100(), ideal_constants()), seconds(even, a100(), ideal_constants()));
}

TEST(PriceAttention, OneBlockLeavesTheOtherSmsIdle) {
  const auto price =
      price_kernel(attention(ops::KernelKind::attention_forward, 128, 1, 128), h100(), plausible_constants());
  EXPECT_NEAR(price.sm_share, 1.0 / 132.0, 1e-9);
}

double gain_of_8_bit(ops::KernelKind kind, const machine::GpuSpec& gpu) {
  auto key = attention(kind, 8192, 64, 128);
  key.causal = true;
  const double wide = seconds(key, gpu, plausible_constants());
  key.precision = machine::Precision::fp8;
  return wide / seconds(key, gpu, plausible_constants());
}

machine::GpuSpec of_generation(std::int32_t capability) {
  machine::GpuSpec gpu = h100();
  gpu.compute_capability = capability;
  return gpu;
}

// What cuDNN gains (NVIDIA/cudnn-frontend, benchmark/sdpa_benchmark_training): less than twice, since the
// softmax stays as it is; least on the B200, whose exponential units are the limit; on Hopper backward
// nothing.
TEST(PriceAttention, OperandsOf8BitsGainLessThanTwice) {
  constexpr auto forward = ops::KernelKind::attention_forward, backward = ops::KernelKind::attention_backward;
  EXPECT_EQ(gain_of_8_bit(forward, a100()), 1.0);
  EXPECT_NEAR(gain_of_8_bit(forward, of_generation(90)), 1.48, 0.1);
  EXPECT_NEAR(gain_of_8_bit(forward, of_generation(100)), 1.2, 0.1);
  EXPECT_NEAR(gain_of_8_bit(forward, of_generation(103)), 1.54, 0.1);
  EXPECT_LT(gain_of_8_bit(backward, of_generation(90)), 1.0);
  EXPECT_GT(gain_of_8_bit(backward, of_generation(100)), 1.05);
  EXPECT_GT(gain_of_8_bit(backward, of_generation(103)), gain_of_8_bit(backward, of_generation(100)));
}

// FlashAttention-2 has no kernel of Blackwell's: three times as slow as cuDNN on a B200.
TEST(PriceAttention, PortableKernelsFallBehindWithEachGeneration) {
  for (const auto kind : {ops::KernelKind::attention_forward, ops::KernelKind::attention_backward}) {
    auto key = attention(kind, 16384, 64, 128);
    const double native = seconds(key, of_generation(100), plausible_constants());
    key.attention = ops::AttentionKernel::flash_2;
    EXPECT_NEAR(seconds(key, of_generation(100), plausible_constants()) / native, 3.0, 0.25);
  }
}

TEST(PriceAttention, AGpuMayStateWhatItsPortableKernelsCost) {
  KernelConstants c = plausible_constants();
  c.attention_portable = 1.4, c.attention_backward_portable = 3.2;
  for (const auto& [kind, ratio] : {std::pair{ops::KernelKind::attention_forward, 1.4},
                                    std::pair{ops::KernelKind::attention_backward, 3.2}}) {
    auto key = attention(kind, 16384, 64, 128);
    const double native = seconds(key, a100(), c);
    key.attention = ops::AttentionKernel::flash_2;
    EXPECT_NEAR(seconds(key, a100(), c) / native, ratio, 0.1 * ratio);
  }
}

// FlashAttention-3's paper: 1.5 to 2 times the forward and 1.5 to 1.75 times the backward speed on Hopper.
TEST(PriceAttention, KernelsOfThePreviousGenerationAreSlowerOnHopperAlone) {
  for (const auto kind : {ops::KernelKind::attention_forward, ops::KernelKind::attention_backward}) {
    auto key = attention(kind, 16384, 64, 128);
    const double h100_time = seconds(key, h100(), plausible_constants());
    const double a100_time = seconds(key, a100(), plausible_constants());
    key.attention = ops::AttentionKernel::flash_2;
    EXPECT_EQ(seconds(key, a100(), plausible_constants()), a100_time);
    const double ratio = seconds(key, h100(), plausible_constants()) / h100_time;
    EXPECT_GT(ratio, 1.5);
    EXPECT_LT(ratio, kind == ops::KernelKind::attention_forward ? 2.0 : 1.75);
    key.attention = ops::AttentionKernel::flash_1;
    EXPECT_GT(seconds(key, a100(), plausible_constants()), 1.3 * a100_time);
    EXPECT_LT(seconds(key, a100(), plausible_constants()), 2.5 * a100_time);
  }
}

// SimuMax's measured kernels of latent attention (192 and 128 channels, 4096 tokens) on an A100, ms: 64 heads
// forward 2.09 and backward 7.21, 16 heads forward 0.60 and backward 1.90.
TEST(PriceAttention, LatentHeadsTakeWhatWasMeasured) {
  struct Measured {
    ops::KernelKind kind;
    std::int32_t heads;
    double milliseconds;
  };
  for (const Measured& point : {Measured{ops::KernelKind::attention_forward, 64, 2.09},
                                {ops::KernelKind::attention_backward, 64, 7.21},
                                {ops::KernelKind::attention_forward, 16, 0.60},
                                {ops::KernelKind::attention_backward, 16, 1.90}}) {
    auto key = attention(point.kind, 4096, point.heads, 192);
    key.value_dim = 128, key.causal = true;
    EXPECT_NEAR(seconds(key, a100(), plausible_constants()) * 1e3 / point.milliseconds, 1.0, 0.25)
        << point.heads;
  }
}

// 32 keys tiles of 128 a row without a window; with one of 1024, eight and half a tile at either edge.
TEST(PriceAttention, AWindowCostsItsKeysAndTwoHalfTiles) {
  auto key = attention(ops::KernelKind::attention_forward, 65536, 108, 128);
  key.causal = true;
  const double all = seconds(key, a100(), ideal_constants());
  key.span = 1024;
  const double near = seconds(key, a100(), ideal_constants());
  const double keys_all = 65536 / 2.0 + 64, keys_near = 1024 - 1024.0 * 1024 / (2.0 * 65536) + 128;
  EXPECT_NEAR(near / all, keys_near / keys_all, 1e-9);
  key.chunked = true;
  EXPECT_NEAR(seconds(key, a100(), ideal_constants()) / all, (512.0 + 64) / keys_all, 1e-9);
}

// The last quarter of the queries sees more than a quarter of the pairs.
TEST(PriceAttention, OnlyTheBackwardKernelOf8BitsWorksThroughWhatItsWindowHides) {
  // cuDNN on GB200, window of 128: twice the tokens take 3.2 to 3.8 times as long backward in 8 bit, else 2.
  machine::GpuSpec gb200 = h100();
  gb200.compute_capability = 100;
  const auto growth = [&](ops::KernelKind kind, machine::Precision precision) {
    auto key = attention(kind, 8192, 256, 64);
    key.causal = true, key.span = 128, key.precision = precision;
    auto twice = key;
    twice.m = twice.n = 16384;
    return seconds(twice, gb200, plausible_constants()) / seconds(key, gb200, plausible_constants());
  };
  using machine::Precision;
  EXPECT_GT(growth(ops::KernelKind::attention_backward, Precision::fp8), 3.5);
  EXPECT_NEAR(growth(ops::KernelKind::attention_backward, Precision::bf16), 2.0, 0.05);
  EXPECT_NEAR(growth(ops::KernelKind::attention_forward, Precision::fp8), 2.0, 0.05);
}

TEST(PriceAttention, QueriesAreTheLastOfTheTokens) {
  auto whole = attention(ops::KernelKind::attention_forward, 65536, 108, 128);
  whole.causal = true;
  auto last = whole;
  last.m = 16384;
  EXPECT_DOUBLE_EQ(ops::flops_of(last).value / ops::flops_of(whole).value, 7.0 / 16);
  EXPECT_NEAR(seconds(last, a100(), ideal_constants()) / seconds(whole, a100(), ideal_constants()), 7.0 / 16,
              0.001);
}

double benchmark(const ops::KernelKey& key, const machine::GpuSpec& gpu, const KernelConstants& c) {
  return to_seconds(price_kernel(key, gpu, c, Clocks::benchmark).alone);
}

machine::GpuSpec b200() { return testing::gpu_with("b200-sxm", 2250, 4500, 7670, 148, 126, 100); }

// 16 tokens of 8 heads fill a tile of 128 rows; head by head they take eight.
TEST(PriceAttention, PackedGroupsFillTheRowsOfATile) {
  auto key = attention(ops::KernelKind::attention_forward, 16, 132 * 8, 128);
  key.groups = 132;
  KernelConstants c = ideal_constants();
  c.attention_prologue = 1e-3;
  const double alone = seconds(key, h100(), c);
  c.attention_packs = 1.0;
  EXPECT_NEAR(alone / seconds(key, h100(), c), 8.0, 0.01);
}

TEST(PriceAttention, FewTilesShareOutTheirKeysWhereTheKernelCan) {
  const auto few = attention(ops::KernelKind::attention_forward, 8192, 1, 128);  // 64 tiles on 132 SMs
  const auto many = attention(ops::KernelKind::attention_forward, 8192, 2, 128);
  KernelConstants c = ideal_constants();
  const double whole = seconds(few, h100(), c), whole_of_many = seconds(many, h100(), c);
  c.attention_splits = 1.0;
  EXPECT_LT(seconds(few, h100(), c), 0.6 * whole);
  EXPECT_GT(seconds(few, h100(), c), 0.4 * whole);
  EXPECT_EQ(seconds(many, h100(), c), whole_of_many);
}

// The exponential units of Blackwell keep pace with the products of 128 channels.
TEST(PriceAttention, HeadsNarrowerThanTheSoftmaxGainNothing) {
  KernelConstants c = ideal_constants();
  c.attention_softmax = 128;
  const auto time = [&](std::int32_t dim) {
    return seconds(attention(ops::KernelKind::attention_forward, 8192, 1480, dim), b200(), c);
  };
  EXPECT_NEAR(time(64) / time(128), 1.0, 1e-6);
  EXPECT_NEAR(time(256) / time(128), 2.0, 1e-6);
  c.attention_exposed = 0.5;
  EXPECT_NEAR(time(64) / time(128), 160.0 / 192, 1e-6);
}

TEST(PriceAttention, ABlockOfBlackwellWorksOnTwoTiles) {
  const auto one = attention(ops::KernelKind::attention_forward, 4096, 1, 128);
  const auto wide = attention(ops::KernelKind::attention_forward, 4096, 1, 256);
  const double flops = 4.0 * 128 * 4096 * 128 * 148 / 2250e12;  // of a tile on one SM
  EXPECT_NEAR(seconds(one, b200(), ideal_constants()) / flops, 2.0, 1e-3);
  EXPECT_NEAR(seconds(wide, b200(), ideal_constants()) / flops, 2.0, 1e-3);  // one tile of twice the depth
}

TEST(PriceAttention, GroupsThatAreNoPowerOfTwoPayAtEveryTile) {
  auto key = attention(ops::KernelKind::attention_forward, 128, 132 * 24, 128);
  KernelConstants c = ideal_constants();
  c.attention_odd_group = 1e-3;
  key.groups = 132 * 3;  // 8 heads share keys
  const double even = seconds(key, h100(), c);
  key.groups = 132 * 4;  // 6 do
  EXPECT_NEAR(seconds(key, h100(), c) - even, 24e-3, 1e-4);
}

// A library's start, its copy of keys and values, and its rotation of queries.
TEST(PriceAttention, TrainingStepsDoNotPayForAServersWrapper) {
  auto key = attention(ops::KernelKind::attention_forward, 4096, 64, 128);
  KernelConstants c = plausible_constants();
  c.attention_sustained = c.attention_throttle = 0.0;
  const double step = seconds(key, h100(), c);
  EXPECT_EQ(benchmark(key, h100(), c), step);
  c.attention_wrapper_start = 5e-6, c.attention_cache_passes = 2.0, c.attention_query_passes = 1.0;
  c.attention_row_time = 1e-10;
  EXPECT_EQ(seconds(key, h100(), c), step);
  const double passes = 2.0 * (2 * 4096.0 * 64 * 256 + 2 * 4096.0 * 64 * 128) / (3352e9 * 0.7);
  EXPECT_NEAR(benchmark(key, h100(), c) - step, 5e-6 + passes + 2 * 4096 * 64 * 1e-10, 1e-9);
}

TEST(PriceAttention, RotationsBeyondTheTableCostMore) {
  KernelConstants c = ideal_constants();
  c.attention_row_time = 1e-7;
  c.attention_long_rotation = 0.5;
  const auto a_token = [&](std::int32_t tokens) {
    const auto key = attention(ops::KernelKind::attention_forward, tokens, 4, 128);
    return (benchmark(key, h100(), c) - seconds(key, h100(), c)) / tokens;
  };
  EXPECT_NEAR(a_token(1536) / a_token(1024), 1.5, 1e-3);
}

TEST(PriceAttention, LongKernelsMeetThePowerLimitShortOnesDoNot) {
  KernelConstants c = ideal_constants();
  c.attention_throttle = 0.2, c.attention_throttle_half = 1e-3;
  const auto slowing = [&](std::int32_t tokens, std::int32_t heads) {
    const auto key = attention(ops::KernelKind::attention_forward, tokens, heads, 128);
    return benchmark(key, h100(), c) / seconds(key, h100(), c);
  };
  EXPECT_NEAR(slowing(65536, 132), 1.2, 0.01);
  EXPECT_NEAR(slowing(128, 132), 1.0, 0.01);
}

TEST(PriceAttention, AMillionTokensCostFourTimesHalfAMillion) {
  for (const auto kind : {ops::KernelKind::attention_forward, ops::KernelKind::attention_backward}) {
    auto key = attention(kind, 1 << 20, 128, 128);
    key.groups = 8, key.causal = true;
    const double all = seconds(key, h100(), plausible_constants());
    key.m = key.n = 1 << 19;
    EXPECT_NEAR(all / seconds(key, h100(), plausible_constants()), 4.0, 0.01);
  }
}

TEST(PriceAttention, KnotsMultiplyThePriceWhereTheyLie) {
  const auto key = attention(ops::KernelKind::attention_forward, 1024, 132, 128);  // 8 tiles a SM
  KernelConstants c = plausible_constants();
  const double plain = seconds(key, h100(), c);
  const auto place = place_of_attention(key, h100(), c);
  EXPECT_DOUBLE_EQ(place[0], 10.0);
  EXPECT_DOUBLE_EQ(place[1], 3.0);
  EXPECT_DOUBLE_EQ(place[2], 7.0);
  c.attention_knots = {.at = {std::vector<double>{9, 10}, std::vector<double>{3}, std::vector<double>{7}},
                       .factor = {1.0, 1.25}};
  EXPECT_NEAR(seconds(key, h100(), c) / plain, 1.25, 1e-6);
}

}  // namespace
}  // namespace echo::kernels
