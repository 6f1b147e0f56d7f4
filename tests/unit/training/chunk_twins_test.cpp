#include "training/layout/chunk_twins.hpp"

#include <gtest/gtest.h>

#include "tests/support/fixtures.hpp"

namespace echo::training {
namespace {

std::vector<std::int32_t> twins(const ModelSpec& model, const std::vector<std::int32_t>& layers,
                                bool copied) {
  const TrainingConfig c = support::a_config({.pipeline = 4, .data = 2});
  RankLayout layout;
  lay_out_ranks(c, model, support::eight_gpu_nodes(), layers, layout);
  if (copied) copy_model(c, support::eight_gpu_nodes(), layout);
  return layout.twin_of_chunk;
}

using Twins = std::vector<std::int32_t>;

TEST(ChunkTwins, AreChunksOfTheSameLayersAndEnds) {
  const ModelSpec model = support::tiny_llama();
  EXPECT_EQ(twins(model, {2, 2, 2, 2}, false), (Twins{0, 1, 1, 3}));
  EXPECT_EQ(twins(model, {1, 3, 3, 1}, false), (Twins{0, 1, 1, 3}));
  EXPECT_EQ(twins(model, {2, 1, 3, 2}, false), (Twins{0, 1, 2, 3}));
  EXPECT_EQ(twins(model, {2, 2, 2, 2}, true), (Twins{0, 1, 1, 3, 0, 1, 1, 3}));
}

TEST(ChunkTwins, HaveTheirLayersInTheSameOrder) {
  ModelSpec model = support::tiny_llama();
  model.layer_pattern = "M*M**MM*";  // mamba and attention
  EXPECT_EQ(twins(model, {2, 2, 2, 2}, false), (Twins{0, 1, 2, 3}));
  model.layer_pattern = "**M*M*MM";
  EXPECT_EQ(twins(model, {2, 2, 2, 2}, false), (Twins{0, 1, 1, 3}));
}

TEST(ChunkTwins, MakeAStageRepeatTheOneBeforeIt) {
  const TrainingConfig c = support::a_config({.pipeline = 4, .data = 2, .virtual_stages = 2});
  RankLayout layout;
  const auto repeats = [&](const std::vector<std::int32_t>& layers) {
    lay_out_ranks(c, support::tiny_llama(), support::eight_gpu_nodes(), layers, layout);
    return layout.repeats_stage;
  };
  EXPECT_EQ(repeats({1, 1, 1, 1, 1, 1, 1, 1}), (std::vector<bool>{false, false, true, false}));
  EXPECT_EQ(repeats({1, 1, 1, 1, 1, 1, 0, 2}), (std::vector<bool>{false, false, false, false}));
  lay_out_ranks(c, support::tiny_llama(), support::eight_gpu_nodes(), {}, layout);
  copy_model(c, support::eight_gpu_nodes(), layout);
  EXPECT_EQ(layout.repeats_stage, std::vector<bool>(4, false)) << "a stage also differs by its mirror";
}

}  // namespace
}  // namespace echo::training
