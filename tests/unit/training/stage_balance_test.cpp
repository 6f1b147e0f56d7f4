#include "training/layout/stage_balance.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "base/counter_rng.hpp"
#include "tests/support/fixtures.hpp"

namespace echo::training {
namespace {

// As build_model does it: thresholds and cumulative costs as real numbers, block by block.
std::vector<std::int32_t> block_by_block(const ModelSpec& m, std::int32_t stages) {
  const double layer =
      4.0 * m.heads * m.head_dim * m.hidden + (m.gated_ffn ? 3.0 : 2.0) * m.ffn_hidden * m.hidden;
  const double whole = m.layers * layer + static_cast<double>(m.vocab) * m.hidden;
  std::vector<std::int32_t> out(static_cast<std::size_t>(stages), 0);
  std::size_t stage = 0;
  for (std::int32_t block = 1; block <= m.layers; ++block) {
    ++out[stage];
    if (block * layer > whole * static_cast<double>(stage + 1) / stages) ++stage;
  }
  return out;
}

TEST(BalancedStages, EqualTheFrameworksOwnLoop) {
  for (std::uint64_t i = 0; i < 500; ++i) {
    const auto pick = [i](std::uint64_t number, std::int32_t most) {
      return 1 + static_cast<std::int32_t>(draw(17, i, number) % static_cast<std::uint64_t>(most));
    };
    ModelSpec m = i % 2 == 0 ? support::tiny_gpt() : support::tiny_llama();
    m.layers = pick(0, 96);
    m.hidden = 128 * pick(1, 64);
    m.vocab = 1000 * pick(2, 260);
    const std::int32_t stages = pick(3, m.layers);
    const std::vector<std::int32_t> split = balanced_stages(m, stages);
    EXPECT_EQ(split, block_by_block(m, stages)) << m.layers << " layers in " << stages;
    EXPECT_EQ(std::accumulate(split.begin(), split.end(), 0), m.layers);
  }
}

TEST(BalancedStages, ALargeVocabularyTakesLayersOffTheLastStage) {
  ModelSpec m = support::tiny_llama();
  m.layers = 16;
  EXPECT_EQ(balanced_stages(m, 1), std::vector<std::int32_t>{16});
  m.vocab = 1;
  EXPECT_EQ(balanced_stages(m, 2).back(), 7);
  m.vocab = 8 * (4 * m.heads * m.head_dim + 3 * m.ffn_hidden);  // as much as eight layers
  EXPECT_EQ(balanced_stages(m, 2).back(), 3);
}

}  // namespace
}  // namespace echo::training
