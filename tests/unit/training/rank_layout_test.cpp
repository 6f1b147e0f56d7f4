#include "training/layout/rank_layout.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "tests/support/fixtures.hpp"

namespace echo::training {
namespace {

using support::a_config;
using support::layout_of;
using support::tiny_gpt;

TEST(RankLayout, TensorGroupsStayInsideANodeAndDataGroupsCrossThem) {
  const RankLayout layout = layout_of(a_config({.tensor = 4, .pipeline = 2, .data = 8}), tiny_gpt());
  EXPECT_EQ(layout.tensor, (machine::GroupSpan{.ranks = 4, .nodes = 1, .ranks_per_node = 4, .stride = 1}));
  // 8 members 4 apart: 2 on each of 4 nodes; the node's other 3 pairs do the same at the same time.
  EXPECT_EQ(layout.data,
            (machine::GroupSpan{.ranks = 8, .nodes = 4, .ranks_per_node = 2, .stride = 4, .sharing = 4}));
}

// Slow twin: walk the concrete ranks of one group and count.
TEST(RankLayout, SpansEqualACountOverConcreteRanks) {
  for (const std::int32_t ranks : {1, 2, 3, 4, 6, 8, 16})
    for (const std::int32_t stride : {1, 2, 4, 8, 16, 24}) {
      if (8 % stride != 0 && stride % 8 != 0) continue;
      std::set<std::int32_t> nodes;
      std::int32_t on_first = 0;
      for (std::int32_t i = 0; i < ranks; ++i) {
        nodes.insert(i * stride / 8);
        on_first += i * stride < 8;
      }
      const machine::GroupSpan span = span_of(ranks, stride, 8, 1024);
      EXPECT_EQ(span.nodes, static_cast<std::int32_t>(nodes.size())) << ranks << " every " << stride;
      EXPECT_EQ(span.ranks_per_node, on_first) << ranks << " every " << stride;
    }
}

// Slow twin of Megatron's second dealing-out: rank r of a stage has coordinates (etp fastest, ep,
// expert-data); a group is the ranks that differ in one coordinate only.
TEST(RankLayout, ExpertGroupsAreThoseOfTheSecondDealingOut) {
  for (const std::int32_t tensor : {1, 2, 4})
    for (const std::int32_t expert : {1, 2, 4, 8, 16})
      for (const std::int32_t expert_tensor : {1, 2, 4}) {
        const std::int32_t ranks = 2 * tensor * 8, grid = expert * expert_tensor;
        if (ranks % grid != 0) continue;
        TrainingConfig c = a_config({.tensor = tensor, .pipeline = 2, .data = 8, .context = 2});
        c.degrees.expert = expert, c.degrees.expert_tensor = expert_tensor;
        const RankLayout layout = layout_of(c, support::tiny_mixture());
        const auto twin = [&](const machine::GroupSpan& span, auto same_group) {
          std::set<std::int32_t> nodes;
          std::int32_t members = 0, on_first = 0;
          for (std::int32_t r = 0; r < ranks; ++r)
            if (same_group(r)) ++members, on_first += r < 8, nodes.insert(r / 8);
          EXPECT_EQ(span.ranks, members);
          EXPECT_EQ(span.nodes, static_cast<std::int32_t>(nodes.size()));
          EXPECT_EQ(span.ranks_per_node, on_first);
        };
        twin(layout.expert_tensor, [&](std::int32_t r) { return r < expert_tensor; });
        twin(layout.expert, [&](std::int32_t r) { return r % expert_tensor == 0 && r < grid; });
        twin(layout.expert_grid, [&](std::int32_t r) { return r < grid; });
        twin(layout.expert_data, [&](std::int32_t r) { return r % grid == 0; });
      }
}

TEST(RankLayout, ChunksKnowWhichOfTheirLayersMixExperts) {
  ModelSpec m = support::tiny_mixture();
  m.first_dense_layers = 3;
  const TrainingConfig c = a_config({.tensor = 1, .pipeline = 2, .data = 1, .virtual_stages = 2});
  const RankLayout layout = layout_of(c, m);
  EXPECT_EQ(layout.chunk_first_layer, (std::vector<std::int32_t>{0, 2, 4, 6}));
  const auto mixing = [&](std::int32_t chunk) {
    std::int32_t layers = 0;
    for (const LayerCount& like : layout.chunk_kinds.row(chunk))
      if (like.kind.mixes_experts()) layers += like.count;
    return layers;
  };
  for (const auto& [chunk, layers] : {std::pair{0, 0}, {1, 1}, {2, 2}, {3, 2}})
    EXPECT_EQ(mixing(chunk), layers);
}

TEST(RankLayout, HopsCrossNodesWhereSomePairOfRanksDoes) {
  // Two stages of 4 ranks per node: the hop inside a node is the one between stage 0 and 1, and 2 and 3.
  const RankLayout layout = layout_of(a_config({.tensor = 4, .pipeline = 4, .data = 1}), tiny_gpt());
  EXPECT_EQ(layout.hop_crosses_nodes, (std::vector<bool>{false, true, false, true}));
}

TEST(RankLayout, LayersAreSplitEvenlyAndSumToTheModel) {
  TrainingConfig c = a_config({.tensor = 1, .pipeline = 3, .data = 1});
  RankLayout layout = layout_of(c, tiny_gpt());
  EXPECT_EQ(layout.chunk_layers, (std::vector<std::int32_t>{3, 3, 2}));
  c.degrees.pipeline = 5;
  c.layers = {.embedding_is_layer = true, .loss_is_layer = true};
  layout = layout_of(c, tiny_gpt());  // (8 + 2) / 5 = 2 slots a stage
  EXPECT_EQ(layout.chunk_layers, (std::vector<std::int32_t>{1, 2, 2, 2, 1}));
}

TEST(RankLayout, AnExplicitSplitIsTakenAsItIs) {
  RankLayout layout;
  lay_out_ranks(a_config({.tensor = 1, .pipeline = 2, .data = 1}), tiny_gpt(), support::eight_gpu_nodes(),
                {5, 3}, layout);
  EXPECT_EQ(layout.chunk_layers, (std::vector<std::int32_t>{5, 3}));
}

TEST(RankLayout, ClassesCoverEveryGpuOnce) {
  const RankLayout layout = layout_of(a_config({.tensor = 2, .pipeline = 4, .data = 3}), tiny_gpt());
  std::int32_t covered = 0;
  for (const RankClass& c : layout.classes) {
    EXPECT_EQ(c.first_gpu_rank, covered);
    covered += c.multiplicity;
  }
  EXPECT_EQ(covered, 24);
}

}  // namespace
}  // namespace echo::training
