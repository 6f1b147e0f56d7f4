#include "training/memory/layer_activations.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/fixtures.hpp"
#include "training/layout/expert_load.hpp"

namespace echo::training {
namespace {

// Korthikanti et al. 2022, table 2: bytes a layer, over s b h; a 16 heads, s 1024, h 1024, so 5 a s / h = 80.
class KorthikantiTable2 : public ::testing::Test {
 protected:
  KorthikantiTable2() {
    config_.flash_attention = false;
    config_.batch.micro_samples = 2;
  }
  [[nodiscard]] LayerActivations layer() const {
    return layer_activations(config_, support::tiny_gpt(), support::plain_framework(), LayerKind::dense);
  }
  [[nodiscard]] double over_sbh(double bytes) const { return bytes / (1024.0 * 2 * 1024); }
  TrainingConfig config_ = support::a_config();
};

TEST_F(KorthikantiTable2, NoParallelism) { EXPECT_DOUBLE_EQ(over_sbh(layer().whole()), 34.0 + 80.0); }

TEST_F(KorthikantiTable2, TensorParallelism) {
  config_.degrees.tensor = 8;
  EXPECT_DOUBLE_EQ(over_sbh(layer().whole()), 10.0 + 24.0 / 8 + 80.0 / 8);
}

TEST_F(KorthikantiTable2, TensorAndSequenceParallelism) {
  config_.degrees.tensor = 8;
  config_.sequence_parallel = true;
  EXPECT_DOUBLE_EQ(over_sbh(layer().whole()), (34.0 + 80.0) / 8);
}

TEST_F(KorthikantiTable2, SelectiveRecomputation) {
  const LayerActivations a = layer();
  EXPECT_DOUBLE_EQ(over_sbh(a.whole() - dropped_by_modules(config_.recipe, a)), 34.0);
}

TEST_F(KorthikantiTable2, FullRecomputation) { EXPECT_DOUBLE_EQ(over_sbh(layer().entry), 2.0); }

// The store of a split backward pass: inputs of the four products and gradients of their outputs (Qi et al.
// 2023, table 1: 32 s b h). All inputs are kept by the layer: 2 + 2 + 2 + 8.
TEST_F(KorthikantiTable2, InputsOfProductsAreAmongWhatIsKept) {
  const LayerActivations a = layer();
  EXPECT_DOUBLE_EQ(over_sbh(a.norms + a.mixed + a.net_out), 14.0);
}

// Their weights have no gradient, for which alone inputs of products are kept.
TEST_F(KorthikantiTable2, FrozenProductsKeepNoInputs) {
  const LayerActivations trained = layer();
  config_.recipe.lora_rank = 16;
  config_.recipe.lora_targets = static_cast<std::int32_t>(Product::linear_qkv);
  const LayerActivations adapted = layer();
  EXPECT_DOUBLE_EQ(over_sbh(trained.norms), 4.0);
  EXPECT_DOUBLE_EQ(over_sbh(adapted.norms), 2.0);  // of the adapted product
  EXPECT_DOUBLE_EQ(over_sbh(trained.net_out), 8.0);
  EXPECT_DOUBLE_EQ(adapted.net_out, 0.0);
  EXPECT_DOUBLE_EQ(adapted.mixed, trained.mixed);  // attention keeps its output for itself
  EXPECT_DOUBLE_EQ(adapted.net_in, trained.net_in);
}

TEST(LayerActivations, FlashAttentionKeepsOneNumberAHeadAndToken) {
  const TrainingConfig c = support::a_config();
  const LayerActivations a =
      layer_activations(c, support::tiny_gpt(), support::plain_framework(), LayerKind::dense);
  EXPECT_DOUBLE_EQ(a.scores, 1024.0 * 16 * 4);
}

// Llama: 4 of 16 heads hold keys and values; gate and up beside their product.
TEST(LayerActivations, GroupedQueriesAndGatedNets) {
  const TrainingConfig c = support::a_config();
  const ModelSpec m = support::tiny_llama();
  const LayerActivations a = layer_activations(c, m, support::plain_framework(), LayerKind::dense);
  EXPECT_DOUBLE_EQ(a.heads, 1024.0 * 2 * (1024 + 2 * 256));
  EXPECT_DOUBLE_EQ(a.net_in, 1024.0 * 2 * 2 * 2816);
  EXPECT_DOUBLE_EQ(a.net_out, 1024.0 * 2 * 2816);
  EXPECT_DOUBLE_EQ(a.masks, 0.0);
}

TEST(LayerActivations, EagerNormsKeepFp32InputsAndNormalisedValues) {
  TrainingConfig c = support::a_config();
  const ModelSpec m = support::tiny_llama();
  const FrameworkSpec f = support::plain_framework();
  const double fused = layer_activations(c, m, f, LayerKind::dense).whole();
  c.recipe.kernels_rms_rope = ops::KernelStyle::eager;
  // Two norms: 4 bytes of input in place of 2, and 2 of the normalised value.
  EXPECT_DOUBLE_EQ(layer_activations(c, m, f, LayerKind::dense).whole() - fused,
                   1024.0 * 1024 * 2 * (4 - 2 + 2));
}

TEST(LayerActivations, CompilersFormNormsAndGatedProductsAgain) {
  TrainingConfig c = support::a_config();
  const ModelSpec m = support::tiny_llama();
  c.recipe.kernels = c.recipe.kernels_rms_rope = ops::KernelStyle::compiled;
  const LayerActivations a = layer_activations(c, m, support::plain_framework(), LayerKind::dense);
  EXPECT_DOUBLE_EQ(a.norms + a.net_out, 0.0);
}

TEST(LayerActivations, GatheredInputsGrowBackToWholeSequences) {
  TrainingConfig c = support::a_config({.tensor = 4});
  c.sequence_parallel = true;
  const ModelSpec m = support::tiny_llama();
  FrameworkSpec f = support::plain_framework();
  const double local = layer_activations(c, m, f, LayerKind::dense).norms;
  f.keeps_gathered_inputs = true;
  EXPECT_DOUBLE_EQ(layer_activations(c, m, f, LayerKind::dense).norms, 4 * local);
}

TEST(LayerActivations, ProductsIn8BitKeepBytesNotHalfWords) {
  TrainingConfig c = support::a_config();
  const ModelSpec m = support::tiny_llama();
  const LayerActivations half = layer_activations(c, m, support::plain_framework(), LayerKind::dense);
  c.precision = Precision::fp8;
  const LayerActivations fp8 = layer_activations(c, m, support::plain_framework(), LayerKind::dense);
  EXPECT_DOUBLE_EQ(fp8.norms, half.norms / 2);
  EXPECT_DOUBLE_EQ(fp8.net_out, half.net_out / 2);
  EXPECT_DOUBLE_EQ(fp8.net_in, half.net_in);      // the activation function's, not a product's
  EXPECT_DOUBLE_EQ(fp8.mixed, half.mixed * 1.5);  // attention's own, and the product's copy
  c.precision = Precision::mxfp8;
  EXPECT_DOUBLE_EQ(layer_activations(c, m, support::plain_framework(), LayerKind::dense).net_out,
                   half.net_out / 2 * 33 / 32);
}

// Megatron-Core's own arithmetic for one copy of a token: input, activation input and output of the expert,
// and what it weighs (fp32).
TEST(LayerActivations, EachExpertMoreATokenIsSentToSavesOneExpertsActivations) {
  TrainingConfig c = support::a_config({.tensor = 1, .pipeline = 1, .data = 8, .expert = 8});
  ModelSpec m = support::tiny_mixture();
  const auto kept = [&] {
    return layer_activations(c, m, support::plain_framework(), LayerKind::moe).whole();
  };
  const double two = kept();
  m.experts_per_token = 3;
  EXPECT_DOUBLE_EQ(kept() - two, 1024.0 * (2 * (m.hidden + 3 * m.expert_ffn_hidden) + 4));
}

TEST(LayerActivations, FullestRankOfExpertsHoldsMoreUnlessCapped) {
  TrainingConfig c = support::a_config({.tensor = 1, .pipeline = 1, .data = 8, .expert = 8});
  const ModelSpec m = support::tiny_mixture();
  const auto routed = [&] {
    return layer_activations(c, m, support::plain_framework(), LayerKind::moe).dispatched;
  };
  const double even = routed();
  c.recipe.imbalance_permille = 500;
  const double busiest = busiest_load(c, m, support::layout_of(c, m)).rank;
  EXPECT_GT(busiest, 1.1);
  EXPECT_NEAR(routed() / even, busiest, 1e-12);
  c.recipe.capacity_permille = 1250;
  EXPECT_NEAR(routed() / even, 1.25, 1e-12);
}

TEST(LayerActivations, ModulesDropWhatTheirNamesSay) {
  TrainingConfig c = support::a_config({.tensor = 1, .pipeline = 1, .data = 8, .expert = 8});
  const LayerActivations a =
      layer_activations(c, support::tiny_mixture(), support::plain_framework(), LayerKind::moe);
  const auto dropped = [&](std::initializer_list<Module> modules) {
    Recipe r;
    r.recompute_modules = 0;
    for (const Module m : modules) r.recompute_modules |= static_cast<std::int32_t>(m);
    return dropped_by_modules(r, a);
  };
  EXPECT_DOUBLE_EQ(dropped({}), 0.0);
  EXPECT_DOUBLE_EQ(dropped({Module::layernorm}), a.norms);
  EXPECT_DOUBLE_EQ(dropped({Module::moe_act}), a.expert_out);
  EXPECT_DOUBLE_EQ(dropped({Module::moe, Module::moe_act}), dropped({Module::moe}));  // once, not twice
  EXPECT_DOUBLE_EQ(dropped({Module::mla_up_proj}), 0.0);  // no latent attention here
}

TEST(LayerActivations, CompilersDropTheOutputOfTheLastProduct) {
  TrainingConfig c = support::a_config();
  const ModelSpec m = support::tiny_llama();
  c.recipe.kernels = ops::KernelStyle::eager;
  const double eager = layer_activations(c, m, support::plain_framework(), LayerKind::dense).per_op;
  c.recipe.kernels = ops::KernelStyle::compiled;
  EXPECT_DOUBLE_EQ(eager - layer_activations(c, m, support::plain_framework(), LayerKind::dense).per_op,
                   1024.0 * 2 * m.hidden);
}

}  // namespace
}  // namespace echo::training
