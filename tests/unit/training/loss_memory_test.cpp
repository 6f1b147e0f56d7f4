#include "training/memory/loss_memory.hpp"

#include <gtest/gtest.h>

#include "tests/support/fixtures.hpp"

namespace echo::training {
namespace {

// Bytes per logit in 16 bit, by who computes the loss and how.
TEST(LossMemory, BytesPerLogit) {
  using ops::KernelStyle;
  struct Case {
    LossStore store;
    KernelStyle style;
    double bytes;
  };
  TrainingConfig c = support::a_config({.tensor = 2});
  const ModelSpec m = support::tiny_llama();
  FrameworkSpec f = support::plain_framework();
  for (const Case& one :
       {Case{LossStore::vocab_parallel, KernelStyle::eager, 10},
        Case{LossStore::vocab_parallel, KernelStyle::compiled, 6},
        Case{LossStore::torch, KernelStyle::eager, 18}, Case{LossStore::torch, KernelStyle::compiled, 4},
        Case{LossStore::in_place, KernelStyle::eager, 2},
        // The whole vocabulary on either rank: twice 14, and the rank's own part.
        Case{LossStore::gathered, KernelStyle::eager, 30}}) {
    f.loss = one.store;
    c.recipe.kernels_loss = one.style;
    EXPECT_DOUBLE_EQ(loss_memory(c, m, f).logits, 1024.0 * 32000 / 2 * one.bytes);
  }
}

TEST(LossMemory, EachTokenPredictedFurtherKeepsLogitsOfItsOwn) {
  TrainingConfig c = support::a_config();
  const ModelSpec m = support::tiny_llama();
  const double one = loss_memory(c, m, support::plain_framework()).logits;
  c.recipe.mtp_layers = 2;
  EXPECT_DOUBLE_EQ(loss_memory(c, m, support::plain_framework()).logits - one, 2 * 1024.0 * 32000 * 4);
}

// The sum of the gradient's two parts is a tensor of its own only where ranks share the vocabulary.
TEST(LossMemory, PyTorchsLossKeepsOneTensorLessUnsplit) {
  FrameworkSpec f = support::plain_framework();
  f.loss = LossStore::torch;
  TrainingConfig c = support::a_config();
  c.recipe.kernels_loss = ops::KernelStyle::eager;
  EXPECT_DOUBLE_EQ(loss_memory(c, support::tiny_llama(), f).logits, 1024.0 * 32000 * 14);
}

}  // namespace
}  // namespace echo::training
