#include "training/model.hpp"

#include <gtest/gtest.h>

#include "tests/support/fixtures.hpp"

namespace echo::training {
namespace {

ModelSpec llama(std::int32_t layers, std::int32_t hidden, std::int32_t heads, std::int32_t kv,
                std::int32_t ffn, std::int32_t vocab) {
  ModelSpec m = support::tiny_llama();
  m.layers = layers, m.hidden = hidden, m.heads = heads, m.kv_heads = kv, m.head_dim = hidden / heads;
  m.ffn_hidden = ffn, m.vocab = vocab;
  return m;
}

// The counts the checkpoints' own index files state.
TEST(TotalParameters, EqualThePublishedCheckpoints) {
  EXPECT_EQ(total_parameters(llama(32, 4096, 32, 32, 11008, 32000)), 6'738'415'616);       // Llama-2 7B
  EXPECT_EQ(total_parameters(llama(32, 4096, 32, 8, 14336, 128256)), 8'030'261'248);       // Llama-3 8B
  EXPECT_EQ(total_parameters(llama(80, 8192, 64, 8, 28672, 128256)), 70'553'706'496);      // Llama-3 70B
  EXPECT_EQ(total_parameters(llama(126, 16384, 128, 8, 53248, 128256)), 405'853'388'800);  // Llama-3.1 405B
}

TEST(TotalParameters, EqualGpt2SmallWithBiasesPositionsAndATiedTable) {
  ModelSpec m = support::tiny_gpt();
  m.layers = 12, m.hidden = 768, m.heads = m.kv_heads = 12, m.ffn_hidden = 3072, m.vocab = 50257;
  EXPECT_EQ(total_parameters(m), 124'439'808);
}

// Narayanan et al. 2021, section 5.1 with recomputation left out (72 instead of 96) and the causal half of
// attention: 72 B s l h^2 (1 + s / 12 h + V / 12 l h).
TEST(ModelFlops, EqualNarayanansFormulaForAGpt) {
  ModelSpec m = support::tiny_gpt();
  const double b = 7, s = 1024, l = m.layers, h = m.hidden, v = m.vocab;
  const double expected = 72 * b * s * l * h * h * (1 + s / (12 * h) + v / (12 * l * h));
  EXPECT_NEAR(model_flops(m, 7, 1024) / expected, 1.0, 1e-12);
}

}  // namespace
}  // namespace echo::training
