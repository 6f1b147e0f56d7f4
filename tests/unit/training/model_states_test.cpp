#include "training/memory/model_states.hpp"

#include <gtest/gtest.h>

#include "tests/support/fixtures.hpp"
#include "training/layout/gradient_sums.hpp"
#include "training/layout/rank_parameters.hpp"

namespace echo::training {
namespace {

struct States : ::testing::Test {
  States() { framework_.pads_vocabulary = false; }
  [[nodiscard]] ModelStates states() const {
    return model_states(config_, model_, framework_, support::layout_of(config_, model_), 90, 0);
  }
  [[nodiscard]] double parameters() const {
    return static_cast<double>(
        stage_parameters(config_, model_, framework_, support::layout_of(config_, model_), 0).total());
  }
  TrainingConfig config_ = support::a_config({.tensor = 1, .pipeline = 1, .data = 8});
  ModelSpec model_ = support::tiny_llama();
  FrameworkSpec framework_ = support::plain_framework();
};

TEST_F(States, EighteenBytesAParameterWithoutSharding) {
  config_.zero = ZeroStage::none;
  const ModelStates s = states();
  const double n = parameters();
  EXPECT_DOUBLE_EQ(s.weights, 2 * n);
  EXPECT_DOUBLE_EQ(s.master_weights, 4 * n);
  EXPECT_DOUBLE_EQ(s.grads, 4 * n);
  EXPECT_DOUBLE_EQ(s.optimizer, 8 * n);
}

TEST_F(States, MegatronAddsUpIn16BitUnlessInBf16) {
  config_.zero = ZeroStage::none;
  const double n = parameters();
  config_.precision = Precision::fp16;
  EXPECT_DOUBLE_EQ(states().grads, 2 * n);
  config_.precision = Precision::bf16;
  EXPECT_DOUBLE_EQ(states().grads, 4 * n);
  config_.recipe.fp32_gradients = false;  // governs memory as it governs time
  EXPECT_DOUBLE_EQ(states().grads, 2 * n);
}

// Rajbhandari et al. 2020 (ZeRO), figure 1: which states each stage divides, here by 8.
TEST_F(States, StagesOfZeroDivideOneStateAfterTheOther) {
  const double n = parameters();
  config_.zero = ZeroStage::optimizer;
  EXPECT_DOUBLE_EQ(states().optimizer, n);
  EXPECT_DOUBLE_EQ(states().grads, 4 * n);
  config_.zero = ZeroStage::gradients;
  EXPECT_DOUBLE_EQ(states().grads, n / 2);
  EXPECT_DOUBLE_EQ(states().weights, 2 * n);
  config_.zero = ZeroStage::parameters;  // FSDP: the fp32 shards are the weights
  EXPECT_DOUBLE_EQ(states().weights, 0.0);
  EXPECT_DOUBLE_EQ(states().master_weights, n / 2);
  config_.zero_group = 2;  // hybrid: every two ranks hold all
  EXPECT_DOUBLE_EQ(states().master_weights, 2 * n);
}

TEST_F(States, WithoutSyncFsdpKeepsAllGradients) {
  config_.zero = ZeroStage::parameters;
  config_.recipe.no_sync = true;
  EXPECT_DOUBLE_EQ(states().grads, 4 * parameters());
  config_.recipe.fp32_gradients = false;
  EXPECT_DOUBLE_EQ(states().grads, 2 * parameters());
}

TEST_F(States, DeepSpeedUpdatesItsPartInFp32) {
  framework_.gradients = GradientStore::partitioned;
  config_.zero = ZeroStage::optimizer;
  config_.recipe.fp32_gradients = false;
  const double n = parameters();
  EXPECT_DOUBLE_EQ(states().grads, 2 * n);
  EXPECT_DOUBLE_EQ(states().update_grads, 6 * n / 8);
  config_.recipe.fp32_gradients = true;  // BF16_Optimizer: fp32 sums of all beside
  EXPECT_DOUBLE_EQ(states().grads, 6 * n);
  EXPECT_DOUBLE_EQ(states().update_grads, 0.0);
  config_.zero = ZeroStage::none;  // in bf16: fp32 sums beside
  EXPECT_DOUBLE_EQ(states().grads, 6 * n);
}

TEST_F(States, NanotronKeepsSumsBucketsAndFreshGradients) {
  framework_.gradients = GradientStore::accumulated;
  const double n = parameters();
  config_.zero = ZeroStage::none;
  EXPECT_DOUBLE_EQ(states().grads, (4 + 2) * n);
  EXPECT_DOUBLE_EQ(states().fresh_grads, 2 * n);
  config_.zero = ZeroStage::optimizer;
  EXPECT_DOUBLE_EQ(states().grads, 4 * n) << "no DDP, no buckets";
}

TEST_F(States, GradientsThatRideOnDdpWaitOnceStatesAreSharded) {
  framework_.overlap.grad_reduce = true;
  EXPECT_TRUE(sums_beside_backward(framework_, ZeroStage::optimizer));
  framework_.gradients = GradientStore::accumulated;
  EXPECT_TRUE(sums_beside_backward(framework_, ZeroStage::none));
  EXPECT_FALSE(sums_beside_backward(framework_, ZeroStage::optimizer));
}

TEST_F(States, WeightsOf8BitProductsHaveTwoMoreCopies) {
  config_.precision = Precision::fp8;
  const double n = parameters(), layers = model_.layers * static_cast<double>(layer_parameters(model_));
  EXPECT_DOUBLE_EQ(states().weights, 2 * n + 2 * layers);
  config_.recipe.fp8_gather = true;  // the copies alone
  EXPECT_DOUBLE_EQ(states().weights, 2 * (n - layers) + 2 * layers);
}

// MLPerf's LoRA of 70 billion parameters runs on one H200 of 141 GB: a byte each.
TEST_F(States, FrozenWeightsHeldIn8BitHaveOneCopy) {
  config_.precision = Precision::fp8;
  config_.recipe.fp8_gather = true;
  config_.recipe.lora_rank = 16;
  const double n = parameters(), layers = model_.layers * static_cast<double>(layer_parameters(model_));
  EXPECT_DOUBLE_EQ(states().weights, 2 * (n - layers) + layers);
}

TEST_F(States, NarrowFormatsDifferByTheirBytesAndCopies) {
  const double n = parameters(), layers = model_.layers * static_cast<double>(layer_parameters(model_));
  config_.precision = Precision::nvfp4;
  EXPECT_DOUBLE_EQ(states().weights, 2 * n + 2 * 0.5625 * layers);
  config_.precision = Precision::fp8;  // per tensor, Blackwell: products of any layout
  EXPECT_DOUBLE_EQ(
      model_states(config_, model_, framework_, support::layout_of(config_, model_), 100, 0).weights,
      2 * n + layers);
}

TEST_F(States, OptimizersDifferByTheirMoments) {
  config_.zero = ZeroStage::none;
  const double n = parameters();
  for (const auto& [optimizer, bytes] : {std::pair{Optimizer::adam, 8.0},
                                         {Optimizer::adam_bf16, 4.0},
                                         {Optimizer::adam_8bit, 2.03125},
                                         {Optimizer::sgd, 4.0},
                                         {Optimizer::none, 0.0}}) {
    config_.recipe.optimizer = optimizer;
    EXPECT_DOUBLE_EQ(states().optimizer, bytes * n);
  }
  EXPECT_DOUBLE_EQ(states().master_weights, 0.0);  // of passes that update nothing
  config_.recipe.optimizer = Optimizer::adam;
  const double kept = states().optimizer + states().master_weights, weights = states().weights;
  EXPECT_DOUBLE_EQ(states().states_away + states().weights_away, 0.0);
  config_.recipe.offload_optimizer = true;
  EXPECT_DOUBLE_EQ(states().optimizer + states().master_weights, 0.0);
  EXPECT_DOUBLE_EQ(states().states_away, kept);
  EXPECT_DOUBLE_EQ(states().weights, weights);
  config_.recipe.offload_weights = true;
  EXPECT_DOUBLE_EQ(states().weights, 0.0);
  EXPECT_DOUBLE_EQ(states().weights_away, weights);
}

TEST_F(States, FrozenWeightsHaveNoGradients) {
  config_.zero = ZeroStage::none;
  const double frozen = parameters();
  config_.recipe.lora_rank = 8;
  // A pair of matrices beside query-key-value, output, gate-up and down.
  const double adapters = 8.0 * 8 * ((1024 + 1536) + (1024 + 1024) + (1024 + 5632) + (2816 + 1024));
  EXPECT_DOUBLE_EQ(states().grads, 4 * adapters);
  EXPECT_DOUBLE_EQ(states().optimizer, 8 * adapters);
  EXPECT_DOUBLE_EQ(states().weights, 2 * (frozen + adapters));
}

// Experts are sharded over their own group: 8 ranks, experts spread over all of them, so no copies.
TEST_F(States, ExpertsAreShardedOverTheirOwnGroup) {
  model_ = support::tiny_mixture();
  config_.degrees.expert = 8;
  config_.zero = ZeroStage::optimizer;
  const RankParameters held =
      stage_parameters(config_, model_, framework_, support::layout_of(config_, model_), 0);
  EXPECT_DOUBLE_EQ(states().optimizer,
                   8.0 * (static_cast<double>(held.dense) / 8 + static_cast<double>(held.expert)));
}

}  // namespace
}  // namespace echo::training
