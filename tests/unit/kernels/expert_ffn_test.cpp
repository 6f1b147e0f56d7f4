#include "kernels/mechanisms/expert_ffn.hpp"

#include <gtest/gtest.h>

#include "kernels/price_kernels.hpp"
#include "tests/support/kernel_fixtures.hpp"

namespace echo::kernels {
namespace {

using testing::h100, testing::ideal_constants, testing::plausible_constants;

// Qwen3-235B-A22B's: 128 experts of 1536 on a hidden size of 4096, eight a token.
ops::KernelKey experts(std::int32_t tokens, std::int32_t unevenness = 0) {
  ops::KernelKey key{.kind = ops::KernelKind::expert_ffn, .gated = true, .m = tokens, .n = 1536, .k = 4096};
  key.batch = 128, key.groups = 8;
  key.routing.unevenness = unevenness;
  return key;
}

KernelConstants of(ops::KernelLibrary library) {
  KernelConstants c = plausible_constants();
  c.library = library;
  return c;
}

double seconds(const ops::KernelKey& key, const KernelConstants& c) {
  return to_seconds(price_kernel(key, h100(), c).alone);
}

TEST(PriceExpertFfn, ReachesPeakWhenNothingIsLost) {
  const ops::KernelKey key = experts(1 << 20);
  KernelConstants c = ideal_constants();
  c.expert_activation = c.expert_combine = 1e9;
  EXPECT_NEAR(seconds(key, c), ops::flops_of(key).value / 989.4e12, 1e-3 * seconds(key, c));
}

TEST(PriceExpertFfn, ReadsTheWeightsOfEveryBusyExpertHoweverFewItsTokens) {
  const ops::KernelPrice price = price_kernel(experts(64), h100(), plausible_constants());
  const double weights = 128.0 * 3 * 1536 * 4096 * 2 / 3352e9;
  EXPECT_GT(to_seconds(price.alone), weights);
  EXPECT_LT(to_seconds(price.alone), 1.6 * weights);
  EXPECT_GT(price.by_memory, 0.8);
  EXPECT_LT(price.compute_bound, 0.1);
}

// A busy expert computes while an idle one reads its weights: uneven loads cost more than even ones.
TEST(PriceExpertFfn, CostsMoreWhenLoadsAreUneven) {
  for (const std::int32_t tokens : {1024, 4096, 16384})
    EXPECT_GT(seconds(experts(tokens, 5), plausible_constants()),
              1.03 * seconds(experts(tokens), plausible_constants()));
}

TEST(PriceExpertFfn, HoldsTheRowsOfTheBusiestRank) {
  ops::KernelKey fair = experts(8192);
  fair.batch = 16, fair.routing = {.experts = 128, .rows = 8192, .reached = 8192};
  ops::KernelKey busy = fair;
  busy.routing.rows = 2 * 8192;
  EXPECT_GT(seconds(busy, plausible_constants()), 1.5 * seconds(fair, plausible_constants()));
}

TEST(PriceExpertFfn, WorksThroughRemoteRowsWhereTheLibraryDoes) {
  ops::KernelKey key = experts(8192);
  key.batch = 16, key.routing = {.experts = 128, .rows = 8192, .reached = 8192};
  KernelConstants c = of(ops::KernelLibrary::sglang);
  const double skipped = seconds(key, c);
  c.expert_remote = 1.0;
  EXPECT_GT(seconds(key, c), 4.0 * skipped);
}

TEST(PriceExpertFfn, DefaultTilesOfTritonAreSlowerThanChosenOnes) {
  ops::KernelKey key = experts(8192);
  const double usual = seconds(key, of(ops::KernelLibrary::sglang));
  key.routing = ops::routing_of(key);
  key.routing.tuned = true;
  EXPECT_LT(seconds(key, of(ops::KernelLibrary::sglang)), 0.95 * usual);
}

TEST(PriceExpertFfn, RowsThatAreNoMultipleOf32BytesSlowTheSecondProduct) {
  ops::KernelKey odd = experts(8192), even = odd;
  odd.n = 232, even.n = 240;
  const KernelConstants c = of(ops::KernelLibrary::sglang);
  EXPECT_GT(seconds(odd, c), 1.4 * seconds(even, c));
}

// TensorRT-LLM measures at powers of two: 1.5 times those keep the tile of the lower one.
TEST(PriceExpertFfn, TilesChosenAtPowersOfTwoFitOtherCountsWorse) {
  const double chosen = seconds(experts(12288), of(ops::KernelLibrary::trtllm)),
               best = seconds(experts(12288), of(ops::KernelLibrary::training));
  EXPECT_GE(chosen, best);
}

TEST(PriceExpertFfn, ElasticitiesAndStartsAreTheWholeTime) {
  const ops::KernelPrice price = price_kernel(experts(4096), h100(), plausible_constants());
  const double fixed = 3e-5 + 5e-10 * 4096;
  EXPECT_NEAR(price.by_arithmetic + price.by_memory + fixed / to_seconds(price.alone), 1.0, 1e-6);
}

}  // namespace
}  // namespace echo::kernels
