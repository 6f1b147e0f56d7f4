#include "training/memory/communication_memory.hpp"

#include <gtest/gtest.h>

#include "tests/support/fixtures.hpp"
#include "training/layout/rank_parameters.hpp"

namespace echo::training {
namespace {

constexpr double mb = 1e6;

// github.com/NVIDIA/nccl/issues/964: 4 A100, a group of two takes 544 MB, larger ones 688 MB.
TEST(CommunicationMemory, CommunicatorsTakeWhatTheyWereSeenToTake) {
  const machine::GpuSpec gpu = support::an_a100();
  EXPECT_NEAR(communicator_bytes(gpu, {.ranks = 2, .nodes = 1, .ranks_per_node = 2}) / (544 * mb), 1.0, 0.16);
  EXPECT_NEAR(communicator_bytes(gpu, {.ranks = 4, .nodes = 1, .ranks_per_node = 4}) / (688 * mb), 1.0, 0.02);
  EXPECT_EQ(communicator_bytes(gpu, {.ranks = 1, .nodes = 1, .ranks_per_node = 1}), 0.0);
}

// github.com/NVIDIA/nccl/issues/1685: the first all-to-all on 8 H100 takes 3.28 GB more.
TEST(CommunicationMemory, AllToAllsConnectEveryPair) {
  machine::GpuSpec gpu = support::an_a100();
  gpu.compute_capability = 90;
  EXPECT_NEAR(peer_to_peer_bytes(gpu, 7, false) / (3280 * mb), 1.0, 0.15);
}

TEST(CommunicationMemory, AllRanksMeetInACommunicatorOfTheirOwn) {
  const ModelSpec model = support::tiny_llama();
  const machine::GpuSpec gpu = support::an_a100();
  const auto libraries = [&](const TrainingConfig& c) {
    return communication_memory(c, model, support::plain_framework(), support::layout_of(c, model), gpu, 0)
        .libraries;
  };
  TrainingConfig c = support::a_config({.tensor = 1, .pipeline = 1, .data = 8});
  const double of_the_node = communicator_bytes(gpu, {.ranks = 8, .nodes = 1, .ranks_per_node = 8});
  EXPECT_DOUBLE_EQ(libraries(c), 2 * of_the_node);  // data parallelism has its own
  c.zero = ZeroStage::parameters;
  EXPECT_DOUBLE_EQ(libraries(c), of_the_node);
  c = support::a_config();
  EXPECT_EQ(libraries(c), 0.0);
}

struct Sharded : ::testing::Test {
  [[nodiscard]] double buffers() const {
    const RankLayout layout = support::layout_of(config_, model_);
    return communication_memory(config_, model_, framework_, layout, support::an_a100(), 0).buffers;
  }
  Sharded() {
    config_.zero = ZeroStage::parameters;
    framework_.pads_vocabulary = false;
  }
  TrainingConfig config_ = support::a_config({.tensor = 1, .pipeline = 1, .data = 8});
  ModelSpec model_ = support::tiny_llama();
  FrameworkSpec framework_ = support::plain_framework();
};

// Two layers of weights in 16 bit, the root's, and gradients of a layer and the root in 16 bit, of a layer in
// fp32 on their way.
TEST_F(Sharded, UnitsGatheredAtOnce) {
  const double layer = static_cast<double>(layer_parameters(model_)),
               root = static_cast<double>(total_parameters(model_)) - 8 * layer;
  EXPECT_DOUBLE_EQ(buffers(), 2 * 2 * layer + 2 * root + 2 * (layer + root) + 4 * layer);
}

TEST_F(Sharded, DeeperPrefetchGathersOneLayerMore) {
  const double one = buffers();
  config_.recipe.fsdp_prefetch = 2;
  EXPECT_DOUBLE_EQ(buffers() - one, 2.0 * static_cast<double>(layer_parameters(model_)));
  config_.recipe.fsdp_reshard = false;  // all eight stay
  EXPECT_DOUBLE_EQ(buffers() - one, 6 * 2.0 * static_cast<double>(layer_parameters(model_)));
}

TEST_F(Sharded, EightBitGathersHalveTheUnits) {
  config_.precision = Precision::fp8;
  const double half = buffers();
  config_.recipe.fp8_gather = true;
  EXPECT_DOUBLE_EQ(half - buffers(), 2.0 * static_cast<double>(layer_parameters(model_)));
}

}  // namespace
}  // namespace echo::training
