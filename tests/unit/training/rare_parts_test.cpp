// Parts that few families of models have: what they add to counts, to stages and to memory.
#include <gtest/gtest.h>

#include "tests/support/rare_models.hpp"
#include "training/layout/rank_parameters.hpp"
#include "training/memory/layer_activations.hpp"
#include "training/memory/stage_activations.hpp"

namespace echo::training {
namespace {

constexpr std::int64_t hidden = 1024, layers = 8;

TEST(RareParts, AddTheirParametersAndNothingElse) {
  const auto added = [](const ModelSpec& base, auto change) {
    ModelSpec m = base;
    change(m);
    return total_parameters(m) - total_parameters(base);
  };
  const ModelSpec gpt = support::tiny_gpt(), llama = support::tiny_llama(), mixture = support::tiny_mixture();
  EXPECT_EQ(added(gpt, [](ModelSpec& m) { m.single_norm = true; }), -layers * 2 * hidden);
  EXPECT_EQ(added(gpt, [](ModelSpec& m) { m.norm_weights = false; }), -(2 * layers + 1) * 2 * hidden);
  EXPECT_EQ(added(gpt, [](ModelSpec& m) { m.embedding_norm = true; }), 2 * hidden);
  EXPECT_EQ(added(gpt, [](ModelSpec& m) { m.position_offset = 2; }), 2 * hidden);
  EXPECT_EQ(added(gpt, [](ModelSpec& m) { m.head_bias = true; }), 51200);
  EXPECT_EQ(added(llama, [](ModelSpec& m) { m.qkv_bias = true; }), layers * (16 + 2 * 4) * 64);
  EXPECT_EQ(added(llama, [](ModelSpec& m) { m.whole_query_key_norm = true; }), layers * (16 + 4) * 64);
  EXPECT_EQ(added(mixture, [](ModelSpec& m) { m.shared_expert_gate = true; }), (layers - 1) * hidden);
}

TEST(RareParts, AreHeldByTheStagesBetweenThem) {
  for (const ModelSpec& m : support::rare_models()) {
    FrameworkSpec f = support::plain_framework();
    f.pads_vocabulary = false;
    for (const std::int32_t stages : {1, 4}) {
      const TrainingConfig c = support::a_config({.tensor = 1, .pipeline = stages, .data = 1});
      const RankLayout layout = support::layout_of(c, m);
      std::int64_t sum = 0;
      for (std::int32_t stage = 0; stage < stages; ++stage)
        sum += stage_parameters(c, m, f, layout, stage).total();
      const std::int64_t copied = m.tied_embeddings && stages > 1 ? std::int64_t{m.vocab} * hidden : 0;
      EXPECT_EQ(sum, total_parameters(m) + copied) << m.name << " on " << stages;
    }
  }
}

// The ranks of a tensor group hold everything once, and what is not divided as often as there are ranks.
TEST(RareParts, AreDividedAmongTensorRanksOrHeldWhole) {
  for (const ModelSpec& m : support::rare_models()) {
    const LayerKind kind = layer_kind(m, m.layers - 1);
    const TrainingConfig c = support::a_config({.tensor = 4, .data = 4, .expert_tensor = 4});
    EXPECT_EQ(4 * layer_parameters_per_rank(c, m, kind).total(),
              layer_parameters(m, kind) + 3 * replicated_layer_parameters(m, kind))
        << m.name;
  }
}

TEST(RareParts, OneNormKeepsOneInputAndOneOutput) {
  const TrainingConfig c = support::a_config({.data = 1});
  const FrameworkSpec f = support::plain_framework();
  ModelSpec two = support::tiny_phi();
  two.single_norm = false;
  const auto of = [&](const ModelSpec& m) { return layer_activations(c, m, f, LayerKind::dense); };
  const LayerActivations one_norm = of(support::tiny_phi()), two_norms = of(two);
  EXPECT_EQ(one_norm.entry, two_norms.entry);
  EXPECT_EQ(one_norm.middle, 0.0);
  EXPECT_EQ(one_norm.norms, two_norms.norms / 2.0);
  EXPECT_EQ(two_norms.whole() - one_norm.whole(), two_norms.middle + two_norms.norms / 2.0);
}

TEST(RareParts, TheNormOfTheEmbeddingKeepsItsInputOnTheFirstStage) {
  const TrainingConfig c = support::a_config({.pipeline = 2, .data = 1});
  const FrameworkSpec f = support::plain_framework();
  ModelSpec without = support::tiny_llama(), with = without;
  with.embedding_norm = true;
  const RankLayout layout = support::layout_of(c, with);
  const auto held = [&](const ModelSpec& m, std::int32_t stage) {
    return stage_activations(c, m, f, layout, stage).held(2 - stage, 2);
  };
  EXPECT_EQ(held(with, 1), held(without, 1));
  const double tokens = static_cast<double>(c.batch.sequence_tokens) * c.batch.micro_samples;
  EXPECT_EQ(held(with, 0) - held(without, 0), 2.0 * tokens * hidden * 2.0);  // two microbatches, 16 bit
}

}  // namespace
}  // namespace echo::training
