#include "kernels/mechanisms/gemm.hpp"

#include <gtest/gtest.h>

#include "base/contract.hpp"
#include "kernels/price_kernels.hpp"
#include "tests/support/kernel_fixtures.hpp"

namespace echo::kernels {
namespace {

using testing::a100, testing::gemm, testing::h100, testing::ideal_constants, testing::plausible_constants;

double seconds(const ops::KernelKey& key, const machine::GpuSpec& gpu, const KernelConstants& c) {
  return to_seconds(price_kernel(key, gpu, c).alone);
}

// 9 * 12 tiles of 256 x 128 fill the 108 SMs of an A100 exactly.
TEST(PriceGemm, WholeWavesOfAnIdealGpuTakeTheirFlopsOverPeak) {
  const auto key = gemm(256 * 9, 128 * 12, 8192);
  EXPECT_NEAR(seconds(key, a100(), ideal_constants()), ops::flops_of(key).value / 312e12, 1e-12);
  EXPECT_EQ(price_kernel(key, a100(), ideal_constants()).sm_share, 1.0);
}

TEST(PriceGemm, SaysInHowManyBlocksItRuns) {
  KernelConstants c = plausible_constants();
  c.gemm_wave_loss = 0.4;
  const auto price = price_kernel(gemm(256 * 9, 128 * 12, 2048), a100(), c);
  EXPECT_EQ(price.blocks, 108.0);
  EXPECT_EQ(price.wave_loss, 0.4);
}

TEST(PriceGemm, OneTileMoreThanAWaveCostsMoreThanItsShare) {
  KernelConstants c = plausible_constants();  // whose tile loss and prologue forbid ever smaller pieces
  c.gemm_wave_loss = 1.0;
  const double full = seconds(gemm(256 * 9, 128 * 12, 2048), a100(), c);
  const double more = seconds(gemm(256 * 9 + 1, 128 * 12, 2048), a100(), c);
  EXPECT_GT(more, full * 1.05);
}

TEST(PriceGemm, WaveLossOfZeroChargesTheShareOnly) {
  const double full = seconds(gemm(128 * 108, 1024, 8192), a100(), ideal_constants());
  const double more = seconds(gemm(128 * 109, 1024, 8192), a100(), ideal_constants());
  EXPECT_NEAR(more / full, 109.0 / 108.0, 1e-6);
}

TEST(PriceGemm, DeepAndSmallProductsAreSplitAlongTheirDepth) {
  const KernelConstants c = ideal_constants();
  const double one_tile_each_alone =
      2.0 * 128 * 64 * 65536 / (312e12 / 108);  // without a split: few busy SMs
  EXPECT_LT(seconds(gemm(256, 256, 65536), a100(), c), one_tile_each_alone / 2);
}

TEST(PriceGemm, ShallowProductsAreBoundByTheirResult) {
  const auto price = price_kernel(gemm(16384, 16384, 64), a100(), ideal_constants());
  EXPECT_LT(price.compute_bound, 0.5);
  EXPECT_NEAR(price.memory_share, 1.0, 1e-6);
}

TEST(PriceGemm, ContiguousDimensionsThatAreNotAlignedCostMore) {
  const KernelConstants c = plausible_constants();
  EXPECT_GT(seconds(gemm(4096, 4096, 4095), a100(), c), 1.3 * seconds(gemm(4096, 4096, 4096), a100(), c));
  EXPECT_GT(seconds(gemm(4096, 4088, 4096), a100(), c), seconds(gemm(4096, 4096, 4096), a100(), c));
}

TEST(PriceGemm, TokensNeedNoAlignmentForward) {
  const KernelConstants c = plausible_constants();
  EXPECT_NEAR(seconds(gemm(4095, 4096, 4096), a100(), c) / seconds(gemm(4096, 4096, 4096), a100(), c), 1.0,
              1e-4);
}

TEST(PriceGemm, TokensAreTheContiguousDimensionOfAWeightGradient) {
  auto key = gemm(4095, 4096, 4096);
  key.layout = ops::GemmLayout::nt;
  auto aligned = gemm(4096, 4096, 4096);
  aligned.layout = ops::GemmLayout::nt;
  EXPECT_GT(seconds(key, a100(), plausible_constants()),
            1.3 * seconds(aligned, a100(), plausible_constants()));
}

TEST(PriceGemm, AccumulatingInFp32CostsTraffic) {
  auto key = gemm(12288, 1536, 2048);
  key.layout = ops::GemmLayout::nt;
  const double plain = seconds(key, h100(), plausible_constants());
  key.fp32_accumulate = true;
  EXPECT_GT(seconds(key, h100(), plausible_constants()), plain);
}

TEST(PriceGemm, EightBitIsFasterThanSixteen) {
  auto key = gemm(8192, 8192, 8192);
  const double wide = seconds(key, h100(), plausible_constants());
  key.precision = machine::Precision::fp8;
  EXPECT_LT(seconds(key, h100(), plausible_constants()), 0.6 * wide);
}

TEST(PriceGemm, PrecisionTheGpuLacksIsACallersMistake) {
  auto key = gemm(1024, 1024, 1024);
  key.precision = machine::Precision::fp8;
  EXPECT_THROW((void)price_kernel(key, a100(), plausible_constants()), ContractViolation);
}

TEST(PriceGemm, MicroBenchmarksThrottleLongKernelsOnly) {
  KernelConstants cool = plausible_constants(), bench = cool;
  cool.gemm_throttle = 0.0, cool.gemm_sustained = 0.0, bench.gemm_sustained = 0.0;
  const auto brief = gemm(1024, 1024, 1024), endless = gemm(65536, 65536, 16384);
  EXPECT_NEAR(seconds(brief, h100(), bench) / seconds(brief, h100(), cool), 1.0, 1e-3);
  EXPECT_NEAR(seconds(endless, h100(), bench) / seconds(endless, h100(), cool), 1.0 + bench.gemm_throttle,
              1e-3);
}

TEST(PriceGemm, ATrainingStepThrottlesShortKernelsToo) {
  KernelConstants cool = plausible_constants(), training = cool;
  cool.gemm_throttle = 0.0, cool.gemm_sustained = 0.0, training.gemm_sustained = 0.14;
  const auto brief = gemm(1024, 1024, 1024), endless = gemm(65536, 65536, 16384);
  EXPECT_NEAR(seconds(brief, h100(), training) / seconds(brief, h100(), cool), 1.14, 1e-6);
  EXPECT_NEAR(seconds(endless, h100(), training) / seconds(endless, h100(), cool), 1.14, 1e-6);
}

TEST(PriceGemm, SixteenSmallProductsCostLessThanSixteenLaunches) {
  auto key = gemm(512, 512, 128);
  const double one = seconds(key, a100(), plausible_constants());
  key.batch = 16;
  EXPECT_LT(seconds(key, a100(), plausible_constants()), 8 * one);
}

double benchmarked(const ops::KernelKey& key, const machine::GpuSpec& gpu, const KernelConstants& c) {
  return to_seconds(price_kernel(key, gpu, c, Clocks::benchmark).alone);
}

ops::KernelKey narrow(std::int32_t m, std::int32_t n, std::int32_t k) {
  auto key = gemm(m, n, k);
  key.precision = machine::Precision::fp8;
  return key;
}

// 132 SMs: 16 bands of 128 along n leave room for 16 tiles along m in two waves, of 3328 / 16 = 208 rows;
// powers of two take two waves of 256.
TEST(PriceGemm, WidthsInStepsFillWavesThatPowersOfTwoWouldExceed) {
  KernelConstants c = ideal_constants();
  c.gemm_wave_loss = 1.0, c.gemm_prologue = 500, c.gemm_tile_loss = 40;
  const double powers = seconds(gemm(3328, 2048, 8192), h100(), c);
  c.gemm_tile_step = 8;
  EXPECT_NEAR(seconds(gemm(3328, 2048, 8192), h100(), c) / powers, 208.0 / 256, 0.04);
}

TEST(PriceGemm, OneRowMoreCostsLittleWhereWidthsAreSteps) {
  KernelConstants c = plausible_constants();
  c.gemm_tile_step = 8, c.gemm_wave_loss = 1.0;
  for (const std::int32_t m : {1024, 2048, 4352})
    EXPECT_LT(seconds(gemm(m + 1, 8192, 8192), h100(), c), 1.06 * seconds(gemm(m, 8192, 8192), h100(), c))
        << m;
}

TEST(PriceGemm, ChoicesOfWidthNeverBeatTheirFlopsOverPeak) {
  KernelConstants c = ideal_constants();
  c.gemm_tile_step = 8;
  for (const std::int32_t m : {512, 769, 1793, 4096, 8192}) {
    const auto key = gemm(m, 4096, 4096);
    EXPECT_GE(seconds(key, h100(), c), ops::flops_of(key).value / 989.4e12 * (1 - 1e-9)) << m;
  }
}

TEST(PriceGemm, KernelsOfOneTilePadToWholeClusters) {
  KernelConstants c = ideal_constants();
  c.gemm_cluster_rows_8 = 2, c.gemm_cluster_columns_8 = 1;
  EXPECT_EQ(seconds(narrow(1280 + 128, 4096, 4096), h100(), c),
            seconds(narrow(1280 + 256, 4096, 4096), h100(), c));
  EXPECT_LT(seconds(narrow(1280, 4096, 4096), h100(), c), seconds(narrow(1281, 4096, 4096), h100(), c));
}

TEST(PriceGemm, ARaggedLastBandCostsMoreThanAFullOne) {
  KernelConstants c = ideal_constants();
  c.gemm_cluster_rows_8 = 2, c.gemm_cluster_columns_8 = 1, c.gemm_ragged_8 = 2.0;
  EXPECT_GT(seconds(narrow(4097, 8192, 8192), h100(), c), seconds(narrow(4352, 8192, 8192), h100(), c));
}

TEST(PriceGemm, L2BoundsTilesThatShareLittle) {
  KernelConstants c = ideal_constants();
  const double free = seconds(gemm(4096, 4096, 4096), h100(), c);
  c.gemm_l2 = 64.0 / 4096 / 4;  // a quarter of what an SM's port passes
  EXPECT_GT(seconds(gemm(4096, 4096, 4096), h100(), c), 1.2 * free);
}

TEST(PriceGemm, EightBitConstantsThatAreLeftOutAreThoseOf16Bits) {
  KernelConstants left_out = plausible_constants(), given = left_out;
  given.gemm_wave_loss_8 = given.gemm_wave_loss, given.gemm_bandwidth_8 = given.gemm_bandwidth;
  given.gemm_overlap_leak_8 = given.gemm_overlap_leak, given.gemm_ramp_8 = given.gemm_ramp;
  given.gemm_throttle_half_8 = given.gemm_throttle_half;
  EXPECT_EQ(price_kernel(narrow(2048, 5120, 1024), h100(), left_out),
            price_kernel(narrow(2048, 5120, 1024), h100(), given));
}

TEST(PriceGemm, OnlyAMicroBenchmarkOf8BitIncludesTheCastOfItsActivation) {
  KernelConstants c = ideal_constants();
  c.gemm_cast_start = 1e-5, c.gemm_cast_near = 5, c.gemm_cast_far = 2;
  const auto key = narrow(4096, 1024, 8192);
  const double cast = benchmarked(key, h100(), c) - seconds(key, h100(), c);
  EXPECT_GT(cast, 1e-5 + 5.0 * 4096 * 8192 / 3352e9);
  EXPECT_LT(cast, 1e-5 + 7.0 * 4096 * 8192 / 3352e9);
  EXPECT_EQ(benchmarked(gemm(4096, 1024, 8192), h100(), c), seconds(gemm(4096, 1024, 8192), h100(), c));
}

TEST(PriceGemm, ProductsOfAGroupShareTheGpuAsFarAsThereAreStreams) {
  KernelConstants all = plausible_constants(), four = all, one = all;
  four.gemm_streams = 4, one.gemm_streams = 1;
  auto key = gemm(256, 2048, 2048);  // a few tiles each
  key.batch = 64, key.grouped = true;
  EXPECT_LT(seconds(key, h100(), all), seconds(key, h100(), four));
  EXPECT_LT(seconds(key, h100(), four), seconds(key, h100(), one));
  key.batch = 1;
  const double alone = seconds(key, h100(), one);
  key.batch = 64;
  EXPECT_NEAR(seconds(key, h100(), one) / (64 * alone), 1.0, 1e-6);
}

TEST(PriceGemm, AGroupTakesAsLongAsTheHostNeedsToIssueIt) {
  KernelConstants c = plausible_constants();
  c.gemm_issue = 1e-5;
  auto key = gemm(16, 256, 256);
  key.batch = 100, key.grouped = true;
  EXPECT_NEAR(benchmarked(key, h100(), c), 1e-3, 1e-9);
  EXPECT_LT(seconds(key, h100(), c), 1e-3);
}

TEST(PriceGemm, KnotsScaleThePrice) {
  KernelConstants c = plausible_constants();
  const double plain = seconds(gemm(4096, 4096, 4096), h100(), c);
  c.gemm_knots_16 = {.at = {{{12}, {12}, {12}}}, .factor = {1.25}};
  EXPECT_NEAR(seconds(gemm(4096, 4096, 4096), h100(), c) / plain, 1.25, 1e-6);
  EXPECT_EQ(seconds(narrow(4096, 4096, 4096), h100(), c),
            seconds(narrow(4096, 4096, 4096), h100(), plausible_constants()));
}

}  // namespace
}  // namespace echo::kernels
