#include "training/memory/memory.hpp"

#include <gtest/gtest.h>

#include "tests/support/fixtures.hpp"
#include "training/layout/rank_parameters.hpp"
#include "training/memory/layer_activations.hpp"

namespace echo::training {
namespace {

// Korthikanti et al. 2022, table 3 models and figure 1: bytes of the first stage in GiB (their section 4
// formulae).
struct Published {
  std::int32_t layers, hidden, heads, tensor, pipeline, virtual_stages, micro, in_flight;
  double model_state, selective_sp;  // GiB
};
class KorthikantiFigure1 : public ::testing::TestWithParam<Published> {};

double gib(Bytes b) { return static_cast<double>(b.value) / (1024.0 * 1024.0 * 1024.0); }

TEST_P(KorthikantiFigure1, ModelStateAndActivationsAreThePapers) {
  const Published p = GetParam();
  ModelSpec m = support::tiny_gpt();
  m.layers = p.layers, m.hidden = p.hidden, m.heads = m.kv_heads = p.heads, m.head_dim = p.hidden / p.heads;
  m.ffn_hidden = 4 * p.hidden, m.max_positions = 2048;
  TrainingConfig c = support::a_config(
      {.tensor = p.tensor, .pipeline = p.pipeline, .data = 1, .virtual_stages = p.virtual_stages});
  c.batch = {.global_samples = 64, .micro_samples = p.micro, .sequence_tokens = 2048};
  c.flash_attention = false;
  c.sequence_parallel = true;
  c.recompute = Recompute::selective;
  const RankLayout layout = support::layout_of(c, m);
  const MemoryUse use =
      estimate_memory(c, m, support::plain_framework(), layout, support::an_a100(), 0, p.in_flight);
  const auto part = [&use](MemoryPart which) { return gib(use.part[static_cast<std::size_t>(which)]); };
  // The paper spreads the embedding evenly over the stages; here it stands on the ends, so an inner stage is
  // compared.
  const MemoryUse inner = estimate_memory(c, m, support::plain_framework(), layout, support::an_a100(),
                                          std::min(1, p.pipeline - 1), p.in_flight);
  double state = 0.0;
  for (const MemoryPart which :
       {MemoryPart::weights, MemoryPart::master_weights, MemoryPart::grads, MemoryPart::optimizer})
    state += gib(inner.part[static_cast<std::size_t>(which)]);
  EXPECT_NEAR(state / p.model_state, 1.0, 0.02);
  // On top of the paper's terms: the scores one layer recomputes, embedding masks, and logits on a single
  // stage.
  EXPECT_GE(part(MemoryPart::activations) / p.selective_sp, 1.0);
  EXPECT_LE(part(MemoryPart::activations) / p.selective_sp, 1.10);
}

INSTANTIATE_TEST_SUITE_P(
    Models, KorthikantiFigure1,
    ::testing::Values(Published{48, 6144, 64, 8, 1, 1, 4, 1, 45.5625, 9.5625},
                      Published{96, 12288, 96, 8, 8, 3, 1, 31, 45.5625, 12.3515625},
                      Published{105, 20480, 128, 8, 35, 3, 1, 139, 31.640625, 23.076171875},
                      Published{128, 25600, 160, 8, 64, 1, 1, 64, 32.958984375, 26.5625}));

TEST(Memory, ShardingTheOptimizerDividesItsStateByTheDataDegree) {
  TrainingConfig c = support::a_config({.tensor = 1, .pipeline = 1, .data = 8});
  const ModelSpec m = support::tiny_gpt();
  const auto optimizer = [&] {
    return estimate_memory(c, m, support::plain_framework(), support::layout_of(c, m), support::an_a100(), 0,
                           1)
        .part[static_cast<std::size_t>(MemoryPart::optimizer)];
  };
  c.zero = ZeroStage::none;
  const Bytes whole = optimizer();
  c.zero = ZeroStage::optimizer;
  EXPECT_EQ(optimizer().value, whole.value / 8);
}

TEST(Memory, EveryRecomputeModeKeepsLessThanTheOneBefore) {
  TrainingConfig c = support::a_config({.tensor = 2, .pipeline = 2, .data = 1});
  c.flash_attention = false;
  const ModelSpec m = support::tiny_gpt();
  std::vector<Bytes> activations;
  for (const Recompute r : {Recompute::none, Recompute::selective, Recompute::full}) {
    c.recompute = r;
    const MemoryUse use =
        estimate_memory(c, m, support::plain_framework(), support::layout_of(c, m), support::an_a100(), 0, 2);
    activations.push_back(use.part[static_cast<std::size_t>(MemoryPart::activations)]);
  }
  EXPECT_GT(activations[0], activations[1]);
  EXPECT_GT(activations[1], activations[2]);
}

TEST(Memory, StagesHoldTheWholeModelBetweenThem) {
  for (const ModelSpec& m : {support::tiny_gpt(), support::tiny_llama(), support::tiny_mixture()}) {
    const TrainingConfig c = support::a_config({.tensor = 1, .pipeline = 4, .data = 1});
    FrameworkSpec f = support::plain_framework();
    f.pads_vocabulary = false;
    const RankLayout layout = support::layout_of(c, m);
    std::int64_t sum = 0;
    for (std::int32_t stage = 0; stage < 4; ++stage) sum += stage_parameters(c, m, f, layout, stage).total();
    // A tied table stands on both ends of the pipeline.
    const std::int64_t copied = m.tied_embeddings ? std::int64_t{m.vocab} * m.hidden : 0;
    EXPECT_EQ(sum, total_parameters(m) + copied) << m.name;
  }
}

// Every expert lives on exactly one rank of the expert grid, and every copy of it on its own expert-data
// rank.
TEST(Memory, RanksHoldEveryExpertOnceForEachCopy) {
  const ModelSpec m = support::tiny_mixture();
  for (const std::int32_t tensor : {1, 2})
    for (const std::int32_t expert : {1, 2, 4, 8})
      for (const std::int32_t expert_tensor : {1, 2}) {
        TrainingConfig c = support::a_config({.tensor = tensor, .pipeline = 2, .data = 8});
        c.degrees.expert = expert, c.degrees.expert_tensor = expert_tensor;
        if (tensor * 8 % (expert * expert_tensor) != 0) continue;
        const RankLayout layout = support::layout_of(c, m);
        std::int64_t held = 0;
        for (std::int32_t stage = 0; stage < 2; ++stage)
          held += stage_parameters(c, m, support::plain_framework(), layout, stage).expert;
        EXPECT_EQ(held * tensor * 8,
                  layout.expert_data.ranks * moe_layers(m, 0, m.layers) * routed_expert_parameters(m));
        EXPECT_EQ(layout.expert.ranks * layout.expert_tensor.ranks * layout.expert_data.ranks, tensor * 8);
      }
}

TEST(Memory, PartsAddUpInTheOrderOfPyTorchsFigures) {
  TrainingConfig c = support::a_config({.tensor = 2, .pipeline = 2, .data = 4});
  machine::GpuSpec gpu = support::an_a100();
  gpu.context = 400_MiB;
  FrameworkSpec f = support::plain_framework();
  f.fragmentation = 0.05, f.reserve = 100_MiB;
  const ModelSpec m = support::tiny_gpt();
  const MemoryUse use = estimate_memory(c, m, f, support::layout_of(c, m), gpu, 0, 2);
  Bytes sum;
  for (const Bytes part : use.part) sum += part;
  EXPECT_EQ(use.total(), sum);
  EXPECT_EQ(use.reserved(), use.allocated() + use[MemoryPart::fragmentation]);
  EXPECT_EQ(use.total(), use.reserved() + use[MemoryPart::comm_libraries] + 500_MiB);
  EXPECT_NEAR(use[MemoryPart::fragmentation] / use.allocated(), 0.05, 1e-6);
}

TEST(Memory, DoesNotDependOnWhatTheDeviceHolds) {
  TrainingConfig c = support::a_config({.tensor = 1, .pipeline = 1, .data = 1});
  machine::GpuSpec gpu = support::an_a100();
  FrameworkSpec f = support::plain_framework();
  f.fragmentation = 0.5;
  const ModelSpec m = support::tiny_gpt();
  const RankLayout layout = support::layout_of(c, m);
  const MemoryUse roomy = estimate_memory(c, m, f, layout, gpu, 0, 1);
  EXPECT_GT(roomy[MemoryPart::fragmentation], Bytes(0));
  gpu.memory = 1_MiB;
  EXPECT_EQ(estimate_memory(c, m, f, layout, gpu, 0, 1), roomy);
}

// One layer a stage, 4 microbatches: stage s of 1F1B holds 4 - s of them, only the last the logits.
TEST(Memory, EarlierStagesHoldMoreMicrobatches) {
  TrainingConfig c = support::a_config({.tensor = 1, .pipeline = 4, .data = 1});
  const ModelSpec m = support::tiny_llama();
  const FrameworkSpec f = support::plain_framework();
  const RankLayout layout = support::layout_of(c, m);
  const double each = 2.0 * layer_activations(c, m, f, LayerKind::dense).whole();
  const double working = layer_activations(c, m, f, LayerKind::dense).working;
  for (std::int32_t stage = 0; stage < 3; ++stage) {
    const MemoryUse use = estimate_memory(c, m, f, layout, support::an_a100(), stage, 4 - stage);
    EXPECT_NEAR(static_cast<double>(use[MemoryPart::activations].value), (4 - stage) * each + working, 1.0);
    EXPECT_EQ(use[MemoryPart::logits], Bytes(0));
  }
  const MemoryUse last = estimate_memory(c, m, f, layout, support::an_a100(), 3, 1);
  EXPECT_NEAR(static_cast<double>(last[MemoryPart::logits].value), 1024.0 * 32000 * 6, 1.0);
}

}  // namespace
}  // namespace echo::training
