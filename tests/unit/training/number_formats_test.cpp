#include "training/memory/number_formats.hpp"

#include <gtest/gtest.h>

#include "tests/support/fixtures.hpp"

namespace echo::training {
namespace {

constexpr std::int32_t hopper = 90, blackwell = 100;

TrainingConfig in(Precision precision, Fp8Recipe recipe = Fp8Recipe::delayed) {
  TrainingConfig c = support::a_config();
  c.precision = precision;
  c.recipe.fp8_recipe = recipe;
  return c;
}

TEST(NarrowFormat, TensorScalesNeedATransposedCopyOnHopperOnly) {
  for (const Fp8Recipe recipe : {Fp8Recipe::delayed, Fp8Recipe::current}) {
    EXPECT_EQ(narrow_format(in(Precision::fp8, recipe), hopper).copies, 2);
    EXPECT_EQ(narrow_format(in(Precision::fp8, recipe), blackwell).copies, 1);
  }
}

TEST(NarrowFormat, BlocksRunBothWaysSoThatTwoCopiesAreKeptEverywhere) {
  EXPECT_EQ(narrow_format(in(Precision::fp8, Fp8Recipe::blockwise), hopper).copies, 2);
  EXPECT_EQ(narrow_format(in(Precision::mxfp8), blackwell).copies, 2);
  EXPECT_EQ(narrow_format(in(Precision::nvfp4), blackwell).copies, 2);
}

TEST(NarrowFormat, OnlyDelayedScalesAreKnownAndOnlyTensorScalesAreGlobal) {
  const auto format = [](Precision p, Fp8Recipe r = Fp8Recipe::delayed) {
    return narrow_format(in(p, r), 100);
  };
  EXPECT_TRUE(format(Precision::fp8).scale_is_known);
  EXPECT_FALSE(format(Precision::fp8).scale_is_global);
  EXPECT_TRUE(format(Precision::fp8, Fp8Recipe::current).scale_is_global);
  EXPECT_FALSE(format(Precision::fp8, Fp8Recipe::blockwise).scale_is_global);
  EXPECT_FALSE(format(Precision::mxfp8).scale_is_global);
  EXPECT_TRUE(format(Precision::nvfp4).scale_is_global);  // two levels: the upper one is the tensor's
}

TEST(NarrowFormat, ScalesTakeTheirShareOfBytes) {
  EXPECT_DOUBLE_EQ(narrow_format(in(Precision::fp8), hopper).bytes, 1.0);
  EXPECT_DOUBLE_EQ(narrow_format(in(Precision::fp8, Fp8Recipe::blockwise), hopper).bytes, 1.0 + 4.0 / 128);
  EXPECT_DOUBLE_EQ(narrow_format(in(Precision::mxfp8), blackwell).bytes, 1.0 + 1.0 / 32);
  EXPECT_DOUBLE_EQ(narrow_format(in(Precision::nvfp4), blackwell).bytes, 0.5 + 1.0 / 16);
}

TEST(SavedOperand, IsNarrowInTransformerEngineAndSixteenBitInTorchao) {
  EXPECT_DOUBLE_EQ(saved_operand_bytes(in(Precision::bf16), hopper), 2.0);
  EXPECT_DOUBLE_EQ(saved_operand_bytes(in(Precision::fp8), hopper), 1.0);
  TrainingConfig torchao = in(Precision::fp8, Fp8Recipe::current);
  EXPECT_DOUBLE_EQ(saved_operand_bytes(torchao, hopper), 1.0);
  torchao.recipe.kernels = ops::KernelStyle::compiled;
  EXPECT_DOUBLE_EQ(saved_operand_bytes(torchao, hopper), 2.0);
}

TEST(CachedWeights, AreKeptInEveryCopyButNotWhereWeightsAreSharded) {
  TrainingConfig c = in(Precision::fp8);
  EXPECT_DOUBLE_EQ(cached_weight_bytes(c, hopper), 2.0);
  EXPECT_DOUBLE_EQ(cached_weight_bytes(c, blackwell), 1.0);
  c.zero = ZeroStage::parameters;
  EXPECT_DOUBLE_EQ(cached_weight_bytes(c, hopper), 0.0);
  EXPECT_DOUBLE_EQ(cached_weight_bytes(in(Precision::bf16), hopper), 0.0);
}

// Gradient 4, moments read and written 16, master weight 8, 16-bit weight 2, clipping 8.
TEST(Update, MovesThirtyEightBytesAParameterInMixedPrecisionAdam) {
  EXPECT_EQ(update_bytes(in(Precision::bf16)), 38);
  EXPECT_EQ(update_bytes(in(Precision::fp16)), 38 + 8);  // and unscaling
  EXPECT_EQ(update_bytes(in(Precision::fp32)), 38 - 2);  // no other copy of the weights
}

TEST(Update, SmallerMomentsAndNoClippingMoveLess) {
  const auto bytes = [](Optimizer optimizer, bool clip) {
    TrainingConfig c = in(Precision::bf16);
    c.recipe.optimizer = optimizer, c.recipe.grad_clip = clip;
    return update_bytes(c);
  };
  EXPECT_EQ(bytes(Optimizer::adam_bf16, true), 38 - 8);
  EXPECT_EQ(bytes(Optimizer::adam_8bit, true), 38 - 12);  // scales: a sixteenth of a byte
  EXPECT_EQ(bytes(Optimizer::sgd, true), 38 - 8);         // one moment in fp32
  EXPECT_EQ(bytes(Optimizer::adam, false), 38 - 8);
}

}  // namespace
}  // namespace echo::training
