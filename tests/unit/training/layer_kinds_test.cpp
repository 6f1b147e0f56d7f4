// Models whose layers differ: which is which, what they weigh, how much they compute.
#include <gtest/gtest.h>

#include "ops/kernel.hpp"
#include "tests/support/fixtures.hpp"
#include "training/model.hpp"

namespace echo::training {
namespace {

TEST(LayerKinds, FollowTheInterval) {
  ModelSpec m = support::tiny_llama();
  m.local = {.span = 128, .full_interval = 4};
  EXPECT_EQ(layer_kind(m, 0).mixer, Mixer::local);
  EXPECT_EQ(layer_kind(m, 3).mixer, Mixer::attention);
  m.local.full_interval = 0;
  EXPECT_EQ(layer_kind(m, 3).mixer, Mixer::local);
}

TEST(LayerKinds, AreNumberedBothWays) {
  for (std::size_t i = 0; i < layer_kind_count; ++i) EXPECT_EQ(layer_kind_at(i).index(), i);
}

// Pair by pair: a token and the one before it, a pair with itself as half of one.
double counted_pairs(const LocalAttention& local, std::int64_t tokens) {
  double pairs = 0.0;
  for (std::int64_t query = 0; query < tokens; ++query)
    for (std::int64_t key = 0; key <= query; ++key) {
      const bool near = local.chunked ? key / local.span == query / local.span : query - key <= local.span;
      // The window's far edge is half seen as its near edge is.
      const bool edge = key == query || (!local.chunked && query - key == local.span);
      pairs += !near ? 0.0 : edge ? 0.5 : 1.0;
    }
  return pairs;
}

TEST(AttendedPairs, EqualACountPairByPair) {
  ModelSpec m = support::tiny_llama();
  for (const std::int32_t span : {1, 16, 100, 256, 300})
    for (const bool chunked : {false, true}) {
      m.local = {.span = span, .chunked = chunked};
      EXPECT_DOUBLE_EQ(attended_pairs(m, Mixer::local, 256), counted_pairs(m.local, 256)) << span << chunked;
      EXPECT_DOUBLE_EQ(attended_pairs(m, Mixer::attention, 256), 256.0 * 256 / 2);
      const ops::KernelKey key{.kind = ops::KernelKind::attention_forward,
                               .causal = true,
                               .chunked = chunked,
                               .m = 256,
                               .n = 256,
                               .span = span};
      EXPECT_DOUBLE_EQ(ops::pairs_of(key), counted_pairs(m.local, 256));
    }
}

TEST(ModelFlops, CountTheWindow) {
  ModelSpec m = support::tiny_llama();
  const double all = model_flops(m, 1, 8192), h = m.heads * 2.0 * m.head_dim;
  m.local = {.span = 1024, .full_interval = 4};
  EXPECT_NEAR(all - model_flops(m, 1, 8192), 3 * 6 * 2.0 * h * (7168.0 * 7168 / 2), 1e-9 * all);
}

TEST(ModelFlops, CountAMambaLayersProductsAndState) {
  ModelSpec m = support::tiny_llama();
  m.layers = 1;
  m.mamba = {.heads = 32, .head_dim = 64, .groups = 8, .state = 128};
  m.layer_pattern = "M";
  const double entries = 1024.0 * (2048 + 2048 + 2 * 8 * 128 + 32) + 2048.0 * 1024 + 1024.0 * m.vocab;
  EXPECT_DOUBLE_EQ(model_flops(m, 2, 4096), 3 * 2 * 4096 * (2 * entries + 4.0 * 2048 * 128));
}

}  // namespace
}  // namespace echo::training
