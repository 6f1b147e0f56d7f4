#include "ops/kernel.hpp"

#include <gtest/gtest.h>

#include "base/contract.hpp"
#include "ops/launches.hpp"

namespace echo::ops {
namespace {

TEST(FlopsOf, GemmIsTwiceTheProductOfItsExtents) {
  EXPECT_EQ(flops_of({.kind = KernelKind::gemm, .m = 3, .n = 5, .k = 7, .batch = 2}).value,
            2.0 * 3 * 5 * 7 * 2);
}

TEST(FlopsOf, FullGpt3ProductDoesNotOverflow) {
  const KernelKey key{.kind = KernelKind::gemm, .m = 65536, .n = 102400, .k = 65536};
  EXPECT_EQ(flops_of(key).value, 2.0 * 65536.0 * 102400.0 * 65536.0);
}

TEST(FlopsOf, AttentionIsTwoProductsForwardAndFiveBackward) {
  const KernelKey forward{
      .kind = KernelKind::attention_forward, .m = 64, .n = 128, .k = 32, .batch = 4, .groups = 2};
  KernelKey backward = forward;
  backward.kind = KernelKind::attention_backward;
  EXPECT_EQ(flops_of(forward).value, 2 * 2.0 * 64 * 128 * 32 * 4);
  EXPECT_EQ(flops_of(backward).value, 2.5 * flops_of(forward).value);
}

TEST(FlopsOf, CausalMaskHalvesAttention) {
  KernelKey key{.kind = KernelKind::attention_backward, .m = 64, .n = 64, .k = 32, .batch = 4, .groups = 4};
  const double full = flops_of(key).value;
  key.causal = true;
  EXPECT_EQ(flops_of(key).value, full / 2);
}

TEST(FlopsOf, MemoryBoundOpsHaveNone) {
  for (int kind = 0; kind < kernel_kind_count; ++kind) {
    const auto k = static_cast<KernelKind>(kind);
    if (k == KernelKind::gemm || k == KernelKind::attention_forward || k == KernelKind::attention_backward ||
        k == KernelKind::scan_forward || k == KernelKind::scan_backward || k == KernelKind::expert_ffn)
      continue;
    EXPECT_EQ(flops_of({.kind = k, .m = 8, .n = 8}).value, 0.0) << kind;
  }
}

TEST(FlopsOf, ExpertsWorkOnTheirRowsAlone) {
  KernelKey key{.kind = KernelKind::expert_ffn, .gated = true, .m = 64, .n = 32, .k = 128, .batch = 4};
  key.groups = 2;
  EXPECT_EQ(flops_of(key).value, 2.0 * 128 * (3 * 32 * 128));
  key.routing = {.experts = 16, .rows = 40, .reached = 30};
  EXPECT_EQ(flops_of(key).value, 2.0 * 40 * (3 * 32 * 128));
}

TEST(TrafficOf, ExpertsWithoutRowsAreNotRead) {
  KernelKey key{.kind = KernelKind::expert_ffn, .m = 64, .n = 32, .k = 128, .batch = 64};
  key.routing = {.experts = 64, .rows = 10, .reached = 10};
  EXPECT_EQ(traffic_of(key).value, 2 * (10 * 2 * 32 * 128 + 2 * 10 * 128));
}

TEST(TrafficOf, GemmReadsEachOperandOnceAndWritesTheResult) {
  const KernelKey key{.kind = KernelKind::gemm, .m = 30, .n = 50, .k = 70, .batch = 2};
  EXPECT_EQ(traffic_of(key).value, 2 * 2 * (30 * 70 + 70 * 50 + 30 * 50));
}

TEST(TrafficOf, EightBitOperandsAreHalfAndTheirResultIsNot) {
  const KernelKey key{.kind = KernelKind::gemm, .precision = Precision::fp8, .m = 30, .n = 50, .k = 70};
  EXPECT_EQ(traffic_of(key).value, 30 * 70 + 70 * 50 + 2 * 30 * 50);
}

TEST(TrafficOf, AccumulatingGradientReadsAndWritesAnFp32Sum) {
  const KernelKey key{
      .kind = KernelKind::gemm, .layout = GemmLayout::nt, .fp32_accumulate = true, .m = 30, .n = 50, .k = 70};
  EXPECT_EQ(traffic_of(key).value, 2 * (30 * 70 + 70 * 50) + 8 * 30 * 50);
}

TEST(TrafficOf, GroupedQueriesReadFewerKeys) {
  const KernelKey many{
      .kind = KernelKind::attention_forward, .m = 64, .n = 64, .k = 32, .batch = 8, .groups = 8};
  KernelKey few = many;
  few.groups = 2;
  EXPECT_EQ(traffic_of(many).value - traffic_of(few).value, 2 * 2 * 64 * 32 * 6);
}

TEST(TrafficOf, NormForwardIsOneReadAndOneWriteWhenFused) {
  EXPECT_EQ(traffic_of({.kind = KernelKind::norm_forward, .m = 10, .n = 20}).value, 10 * 20 * 4);
}

TEST(TrafficOf, GatedActivationReadsTwoHalvesAndWritesOne) {
  EXPECT_EQ(traffic_of({.kind = KernelKind::activation_forward, .gated = true, .m = 10, .n = 20}).value,
            10 * 20 * 6);
  EXPECT_EQ(traffic_of({.kind = KernelKind::activation_backward, .gated = true, .m = 10, .n = 20}).value,
            10 * 20 * 10);
}

TEST(TrafficOf, EagerVocabularyLossMovesFiftyTwoBytesALogit) {
  const KernelKey forward{
      .kind = KernelKind::cross_entropy_forward, .style = KernelStyle::eager, .m = 10, .n = 20};
  KernelKey backward = forward;
  backward.kind = KernelKind::cross_entropy_backward;
  EXPECT_EQ(traffic_of(forward).value + traffic_of(backward).value, 10 * 20 * 52);
}

TEST(TrafficOf, FusedCausalSoftmaxReadsHalfTheSquare) {
  const KernelKey key{.kind = KernelKind::softmax_forward, .causal = true, .m = 64, .n = 64, .batch = 3};
  EXPECT_EQ(traffic_of(key).value, 64 * 64 * 3 * 3);
}

TEST(TrafficOf, OptimizerMovesItsStateOnce) {
  EXPECT_EQ(traffic_of({.kind = KernelKind::optimizer, .m = 1'000'000'000, .n = 30}).value, 30'000'000'000);
}

TEST(TrafficOf, StylesAreOrderedForEveryKind) {
  for (int kind = 0; kind < kernel_kind_count; ++kind) {
    for (const bool gated : {false, true}) {
      for (const Precision precision : {Precision::bf16, Precision::fp32}) {
        KernelKey key{.kind = static_cast<KernelKind>(kind),
                      .precision = precision,
                      .causal = true,
                      .gated = gated,
                      .m = 128,
                      .n = 128,
                      .k = 64,
                      .batch = 2,
                      .groups = 2,
                      .span = 64};
        const Bytes fused = traffic_of(key);
        key.style = KernelStyle::compiled;
        const Bytes compiled = traffic_of(key);
        key.style = KernelStyle::eager;
        const Bytes eager = traffic_of(key);
        EXPECT_LE(fused, compiled) << kind;
        EXPECT_LE(compiled, eager) << kind;
        EXPECT_GT(fused, Bytes(0)) << kind;
      }
    }
  }
}

// 16-bit elements read once; one copy is a byte, two and the fp32 scales of blocks of 128 two and 8 / 128,
// two of half a byte with a scale byte for 16 elements 1.125.
TEST(TrafficOf, CastsReadOnceAndWriteEveryCopyWithItsScales) {
  KernelKey key{.kind = KernelKind::quantize, .precision = Precision::fp8, .m = 128, .n = 1024};
  EXPECT_EQ(traffic_of(key).value, 128 * 1024 * 3);
  key.groups = 2, key.k = 128;
  EXPECT_EQ(traffic_of(key).value, 128 * 1024 * 4 + 128 * 1024 / 128 * 8);
  key.precision = Precision::mxfp8, key.k = 32;
  EXPECT_EQ(traffic_of(key).value, 128 * 1024 * 4 + 128 * 1024 / 32 * 2);
  key.precision = Precision::nvfp4, key.k = 16;
  EXPECT_EQ(traffic_of(key).value, 128 * 1024 * 3 + 128 * 1024 / 16 * 2);
}

TEST(TrafficOf, LargestMagnitudeIsOneMoreReadAndEagerlyThreePasses) {
  KernelKey key{.kind = KernelKind::amax, .precision = Precision::fp8, .m = 10, .n = 20};
  EXPECT_EQ(traffic_of(key).value, 10 * 20 * 2);
  EXPECT_EQ(launches_of(key), 2);
  key.style = KernelStyle::eager;
  EXPECT_EQ(traffic_of(key).value, 10 * 20 * 6);
  EXPECT_EQ(launches_of(key), 8);
}

TEST(TrafficOf, FourBitOperandsAreAQuarter) {
  const KernelKey key{.kind = KernelKind::gemm, .precision = Precision::nvfp4, .m = 32, .n = 48, .k = 64};
  EXPECT_EQ(traffic_of(key).value, (32 * 64 + 64 * 48) / 2 + 2 * 32 * 48);
}

TEST(TrafficOf, RefusesAnEmptyShape) {
  EXPECT_THROW((void)traffic_of({.kind = KernelKind::gemm, .m = 0}), ContractViolation);
}

// One query row against one key: scores over 192 channels and context over 128, two FLOPs each; backward the
// scores again, dQ and dK over 192, dP and dV over 128.
TEST(Attention, CountsTheChannelsOfKeysAndValuesApart) {
  KernelKey key{.kind = KernelKind::attention_forward, .k = 192, .value_dim = 128};
  EXPECT_EQ(flops_of(key).value, 2 * (192 + 128));
  key.kind = KernelKind::attention_backward;
  EXPECT_EQ(flops_of(key).value, 2 * (3 * 192 + 2 * 128));
  KernelKey same = key, plain = key;
  same.k = same.value_dim = 128, plain.k = 128, plain.value_dim = 0;
  EXPECT_EQ(flops_of(same).value, flops_of(plain).value);
  EXPECT_EQ(traffic_of(same), traffic_of(plain));
  EXPECT_LT(traffic_of(plain), traffic_of(key));
}

// Nemotron-H 8B's scan over one chunk of 128 tokens: C B' of 8 groups, its product with x, states, outputs.
TEST(Scan, MultipliesWithinChunksAndWithStates) {
  KernelKey key{.kind = KernelKind::scan_forward, .m = 128, .n = 64, .k = 128, .batch = 128, .groups = 8};
  key.span = 128;
  const double scores = 8 * 128.0 * 128 * 128, within = 128 * 128.0 * 128 * 64;  // half of each is masked
  EXPECT_EQ(flops_of(key).value, scores + within + 2 * (2 * 128.0 * 128 * 128 * 64));
  // x twice, gate, two outputs of 8192 channels; B and C twice; fp32 scores and states written and read;
  // 16-bit states written and read; per head and token 26 bytes of time steps and decays.
  EXPECT_EQ(traffic_of(key).value,
            128 * (5 * 2 * 8192 + 4 * 2 * 1024 + 2 * 4 * 1024 + 26 * 128) + (8 + 4) * 128 * 64 * 128);
  EXPECT_EQ(launches_of(key), 5);
  key.kind = KernelKind::scan_backward;
  EXPECT_EQ(flops_of(key).value, 3 * scores + 3 * within + 5 * (2 * 128.0 * 128 * 128 * 64));
  EXPECT_EQ(launches_of(key), 15);
}

TEST(GroupedProduct, MovesTheWeightsOfEveryExpertAndLaunchesEach) {
  const KernelKey one{.kind = KernelKind::gemm, .m = 64, .n = 512, .k = 256};
  KernelKey eight = one;
  eight.batch = 8, eight.grouped = true;
  EXPECT_EQ(traffic_of(eight).value, 8 * traffic_of(one).value);
  EXPECT_EQ(flops_of(eight).value, 8 * flops_of(one).value);
  EXPECT_EQ(launches_of(eight), 8);
  EXPECT_EQ(looped_launches_of(eight), 7);  // of one call
  EXPECT_EQ(looped_launches_of(one), 0);
  eight.style = KernelStyle::eager;  // Python calls one operator after the other
  EXPECT_EQ(looped_launches_of(eight), 0);
  const KernelKey casts{
      .kind = KernelKind::quantize, .style = KernelStyle::fused, .m = 64, .n = 512, .batch = 8};
  EXPECT_EQ(launches_of(casts), 8);
  EXPECT_EQ(looped_launches_of(casts), 7);
}

TEST(Permutation, ReadsATokenOnceAndWritesItForEachOfItsExperts) {
  const KernelKey key{.kind = KernelKind::permute, .m = 1000, .n = 512, .groups = 6};
  EXPECT_EQ(traffic_of(key).value, 1000LL * 512 * 2 * (1 + 6));
}

}  // namespace
}  // namespace echo::ops
