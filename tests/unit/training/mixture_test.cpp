// Mixtures of experts and latent attention: parameter and FLOP counts.
#include <gtest/gtest.h>

#include "tests/support/fixtures.hpp"
#include "training/model.hpp"

namespace echo::training {
namespace {

TEST(LayerKinds, FollowTheFirstDenseLayersAndTheInterval) {
  ModelSpec m = support::tiny_mixture();
  m.layers = 8, m.first_dense_layers = 3;
  EXPECT_EQ(moe_layers(m, 0, 8), 5);
  EXPECT_EQ(layer_kind(m, 2), LayerKind::dense);
  EXPECT_EQ(layer_kind(m, 3), LayerKind::moe);
  m.first_dense_layers = 0, m.moe_interval = 2;  // 1, 3, 5, 7
  EXPECT_EQ(layer_kind(m, 0), LayerKind::dense);
  EXPECT_EQ(layer_kind(m, 1), LayerKind::moe);
  EXPECT_EQ(moe_layers(m, 0, 8), 4);
  EXPECT_EQ(moe_layers(m, 1, 3), 2);
  EXPECT_EQ(moe_layers(support::tiny_llama(), 0, 8), 0);
}

TEST(MixtureParameters, OneExpertOfTheDenseWidthIsADenseLayerAndARouter) {
  const ModelSpec dense = support::tiny_llama();
  ModelSpec one = dense;
  one.experts = one.experts_per_token = 1, one.expert_ffn_hidden = dense.ffn_hidden;
  EXPECT_EQ(layer_parameters(one, LayerKind::moe), layer_parameters(dense) + one.hidden);
  EXPECT_EQ(active_parameters(one), total_parameters(one));
  EXPECT_EQ(total_parameters(one), total_parameters(dense) + one.layers * one.hidden);
}

TEST(MixtureParameters, ATokenPassesItsExpertsOnly) {
  const ModelSpec m = support::tiny_mixture();
  const std::int64_t expert = 3LL * m.hidden * m.expert_ffn_hidden;
  EXPECT_EQ(total_parameters(m) - active_parameters(m),
            moe_layers(m, 0, m.layers) * (m.experts - m.experts_per_token) * expert);
}

TEST(MixtureFlops, AreSixPerActiveMatrixEntryAndTokenAndTheAttention) {
  const ModelSpec m = support::tiny_mixture();
  const double vectors = 2.0 * m.hidden * m.layers + m.hidden,
               look_up = static_cast<double>(m.vocab) * m.hidden;
  const double entries = static_cast<double>(active_parameters(m)) - vectors - look_up;
  const double attention = 3.0 * 2.0 * 1024 * m.heads * m.head_dim * m.layers;
  EXPECT_NEAR(model_flops(m, 3, 1024) / (3 * 1024 * (6.0 * entries + attention)), 1.0, 1e-12);
}

// DeepSeek-V2, section 2.1, counted by hand for one layer: W_DQ, W_UQ, W_DKV, W_KR, W_UK and W_UV, W_O,
// norms.
TEST(LatentAttention, HasTheWeightsOfThePaper) {
  ModelSpec m = support::tiny_llama();
  const std::int64_t whole = layer_parameters(m);
  const std::int64_t plain = std::int64_t{m.hidden} * m.head_dim * (2 * m.heads + 2 * m.kv_heads);
  m.kv_heads = m.heads;
  m.latent = {.query_rank = 384, .key_value_rank = 128, .nope_dim = 64, .rope_dim = 32, .value_dim = 64};
  const std::int64_t h = m.hidden, a = m.heads;
  const std::int64_t latent = h * 384 + 384 * a * 96 + h * 128 + h * 32 + 128 * a * (64 + 64) + a * 64 * h;
  EXPECT_EQ(layer_parameters(m), whole - plain + latent + 384 + 128);
  EXPECT_EQ(latent_down_parameters(m), h * (384 + 128 + 32) + 384 + 128);
}

}  // namespace
}  // namespace echo::training
