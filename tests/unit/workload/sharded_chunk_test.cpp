// Bytes on the data lane per step, against closed forms counted here from the model alone.
#include "workload/traffic/sharded_chunk.hpp"

#include <gtest/gtest.h>

#include "base/at.hpp"
#include "tests/support/data_traffic.hpp"
#include "tests/support/fixtures.hpp"
#include "workload/generate_workload.hpp"

namespace echo::workload {
namespace {

using ops::CollectiveKind;
using support::bytes_per_step;
using support::DataBytes;
using training::TrainingConfig;
using training::ZeroStage;

Workload traced(const TrainingConfig& c, const training::ModelSpec& m,
                const training::FrameworkSpec& f = support::plain_framework()) {
  Workload out;
  generate_workload(c, m, f, support::eight_gpu_nodes(), support::layout_of(c, m), Backward::whole, out);
  return out;
}

// Weights of tiny_llama and tiny_mixture on one tensor rank of `t`: hidden 1024, 16 heads, 4 key-value heads.
struct Weights {
  std::int64_t dense_layer, moe_layer, experts, root;  // experts: routed ones of a mixture's layer, all
};
Weights count(const training::ModelSpec& m, std::int64_t t) {
  const std::int64_t h = 1024, norms = 2 * h, attention = h * (16 + 2 * 4) * 64 + 16 * 64 * h;
  return {.dense_layer = (attention + 3 * h * m.ffn_hidden) / t + norms,
          .moe_layer = (attention + 3 * h * m.shared_expert_hidden) / t + h * m.experts + norms,
          .experts = m.experts * 3 * h * m.expert_ffn_hidden,
          .root = 2 * ((m.vocab + 128 * t - 1) / (128 * t) * 128 * t) / t * h + h};
}

TrainingConfig sharded(training::Degrees degrees) {
  TrainingConfig c = support::a_config(degrees);
  c.zero = ZeroStage::parameters;
  return c;
}

TEST(ShardedChunk, WeightsAreGatheredWheneverTheyWereFreed) {
  const training::ModelSpec m = support::tiny_llama();
  const Weights w = count(m, 1);
  for (const bool reshard : {false, true})
    for (const bool no_sync : {false, true})
      for (const std::int32_t data : {4, 8, 32}) {
        TrainingConfig c = sharded({.data = data});
        c.recipe.fsdp_reshard = reshard, c.recipe.no_sync = no_sync;
        const std::int64_t n = training::microbatches_of(c), layers = 8 * w.dense_layer;
        const std::int64_t forwards = no_sync && !reshard ? 1 : n, backwards = reshard ? n : 0;
        const DataBytes sent = bytes_per_step(traced(c, m), n);
        EXPECT_EQ(sent[CollectiveKind::all_gather], 2 * (forwards * (layers + w.root) + backwards * layers));
        EXPECT_EQ(sent[CollectiveKind::reduce_scatter], 4 * (no_sync ? 1 : n) * (layers + w.root));
        EXPECT_EQ(sent[CollectiveKind::all_reduce], 0);
      }
}

TEST(ShardedChunk, HybridShardsAddAnAllReduceOfEachShardOverItsReplicas) {
  const training::ModelSpec m = support::tiny_llama();
  const Weights w = count(m, 1);
  for (const bool no_sync : {false, true}) {
    TrainingConfig c = sharded({.data = 16});
    c.zero_group = 4;
    c.recipe.no_sync = no_sync;
    const std::int64_t reductions = no_sync ? 1 : 2, all = 8 * w.dense_layer + w.root;
    const Workload work = traced(c, m);
    const DataBytes sent = bytes_per_step(work, 2);
    EXPECT_EQ(sent[CollectiveKind::reduce_scatter], 4 * reductions * all);
    EXPECT_EQ(sent[CollectiveKind::all_reduce], 4 * reductions * all / 4);
    for (const ops::CollectiveQuery& query : work.collectives) {
      if (query.kind == CollectiveKind::all_reduce && query.payload.value > 4) {
        EXPECT_EQ(query.group.ranks, 4);  // replicas stand four apart
        EXPECT_EQ(query.group.stride, 4);
      } else if (query.kind == CollectiveKind::all_gather) {
        EXPECT_EQ(query.group.ranks, 4);
        EXPECT_EQ(query.group.stride, 1);
      }
    }
  }
}

TEST(ShardedChunk, TensorAndPipelineRanksShardWhatTheyHold) {
  const training::ModelSpec m = support::tiny_llama();
  const Weights w = count(m, 2);
  TrainingConfig c = sharded({.tensor = 2, .pipeline = 2, .data = 4});
  const DataBytes sent = bytes_per_step(traced(c, m), 8);
  EXPECT_EQ(sent[CollectiveKind::all_gather], 8 * 2 * (2 * 8 * w.dense_layer + w.root));
  EXPECT_EQ(sent[CollectiveKind::reduce_scatter], 8 * 4 * (8 * w.dense_layer + w.root));
  // As torchtitan's pipelines do it: gathered once, reduced once.
  c.recipe.fsdp_reshard = false, c.recipe.no_sync = true;
  const DataBytes once = bytes_per_step(traced(c, m), 8);
  EXPECT_EQ(once[CollectiveKind::all_gather], 2 * (8 * w.dense_layer + w.root));
  EXPECT_EQ(once[CollectiveKind::reduce_scatter], 4 * (8 * w.dense_layer + w.root));
}

TEST(ShardedChunk, ExpertsAreShardedOverTheRanksThatHoldTheSameOnes) {
  const training::ModelSpec m = support::tiny_mixture();
  const Weights w = count(m, 1);
  for (const std::int32_t expert : {1, 2, 4, 8}) {
    const TrainingConfig c = sharded({.data = 8, .expert = expert});
    const Workload work = traced(c, m);
    const std::int64_t dense = w.dense_layer + 7 * w.moe_layer;
    const std::int64_t experts = expert == 8 ? 0 : 7 * w.experts / expert;  // one copy: nothing to share
    const DataBytes sent = bytes_per_step(work, 4);
    EXPECT_EQ(sent[CollectiveKind::all_gather], 4 * 2 * (2 * (dense + experts) + w.root)) << expert;
    EXPECT_EQ(sent[CollectiveKind::reduce_scatter], 4 * 4 * (dense + experts + w.root)) << expert;
    bool smaller = false;
    for (const ops::CollectiveQuery& query : work.collectives)
      smaller = smaller || (query.kind == CollectiveKind::reduce_scatter && query.group.ranks == 8 / expert);
    EXPECT_EQ(smaller, expert < 8) << expert;
  }
}

TEST(ShardedChunk, ShardedGradientsOfZeroTwoAreReducedEachMicrobatchUnlessToldToWait) {
  const training::ModelSpec m = support::tiny_llama();
  const Weights w = count(m, 1);
  TrainingConfig c = support::a_config({.data = 8});
  c.zero = ZeroStage::gradients;
  const std::int64_t all = 8 * w.dense_layer + w.root;
  for (const bool no_sync : {false, true}) {
    c.recipe.no_sync = no_sync;
    const DataBytes sent = bytes_per_step(traced(c, m), 4);
    EXPECT_EQ(sent[CollectiveKind::reduce_scatter], 4 * (no_sync ? 1 : 4) * all);
    EXPECT_EQ(sent[CollectiveKind::all_gather], 2 * all);
  }
}

// When a gather may start at the earliest: layers ahead of the compute op that waits for it.
TEST(ShardedChunk, AGatherIsIssuedAsManyLayersAheadAsAskedFor) {
  const training::ModelSpec m = support::tiny_llama();
  for (const std::int32_t ahead : {0, 1, 3, 20}) {
    TrainingConfig c = sharded({.data = 8});
    c.recipe.fsdp_prefetch = ahead;
    const Workload w = traced(c, m);
    const OpGraph& block = w.blocks[at(w.whole_forward.front())];
    std::vector<std::int32_t> gathers;
    for (std::int32_t op = 0; op < block.size(); ++op)
      if (block.lane[at(op)] == Lane::data) gathers.push_back(op);
    ASSERT_EQ(gathers.size(), 9U);  // the root and eight layers
    std::vector<std::int32_t> users(gathers.size(), -1);
    for (std::int32_t op = block.size() - 1; op >= 0; --op)
      if (block.lane[at(op)] == Lane::compute)
        for (const OpId need : block.needs.row(op))
          for (std::size_t i = 0; i < gathers.size(); ++i)
            if (need == OpId(gathers[i])) users[i] = op;
    for (std::int32_t layer = 0; layer < 8; ++layer) {
      const std::size_t place = at(layer) + 1;
      ASSERT_GE(users[place], 0);
      const auto needs = block.needs.row(gathers[place]);
      if (layer < ahead) {
        EXPECT_TRUE(needs.empty());  // under way from the start
        continue;
      }
      // Right after the last op before the layer `ahead` earlier begins.
      const std::int32_t starts = users[place - at(ahead)];
      ASSERT_EQ(needs.size(), 1U);
      EXPECT_LT(needs.front(), OpId(starts));
      for (std::int32_t op = needs.front().index() + 1; op < starts; ++op)
        EXPECT_NE(block.lane[at(op)], Lane::compute);
    }
  }
}

std::int64_t copied_bytes(const Workload& w, BlockId block) {
  const OpGraph& graph = w.blocks[at(block)];
  std::int64_t sum = 0;
  for (std::int32_t op = 0; op < graph.size(); ++op) {
    if (graph.lane[at(op)] != Lane::compute) continue;
    const ops::KernelKey& key = w.kernels[at(graph.work[at(op)])];
    if (key.kind == ops::KernelKind::elementwise && key.n == 1) sum += ops::traffic_of(key).value;
  }
  return sum;
}

TEST(ShardedChunk, CopiesInAndOutOfFlatBuffersMoveEachWeightOnce) {
  const training::ModelSpec m = support::tiny_llama();
  const Weights w = count(m, 1);
  training::FrameworkSpec f = support::plain_framework();
  TrainingConfig c = sharded({.data = 8});
  c.recipe.fused_grad_accumulation = false;
  const std::int64_t layers = 8 * w.dense_layer, all = layers + w.root;
  for (const bool flat : {false, true}) {
    f.flat_shards = flat;
    const Workload work = traced(c, m, f);
    EXPECT_EQ(copied_bytes(work, work.whole_forward.front()), flat ? 0 : 4 * all);
    EXPECT_EQ(copied_bytes(work, work.whole_backward.front()), (flat ? 0 : 4 * layers) + (2 + 4) * all);
  }
  c.recipe.fused_grad_accumulation = true;  // products write into the buffer
  const Workload fused = traced(c, m, f);
  EXPECT_EQ(copied_bytes(fused, fused.whole_backward.front()), 0);
}

}  // namespace
}  // namespace echo::workload
