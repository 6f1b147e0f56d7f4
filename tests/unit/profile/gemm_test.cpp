#include "profile/gemm.hpp"

#include <gtest/gtest.h>

#include "base/contract.hpp"
#include "profile/price_kernels.hpp"
#include "tests/support/kernel_fixtures.hpp"

namespace echo::profile {
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

}  // namespace
}  // namespace echo::profile
