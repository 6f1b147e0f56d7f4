#include "workload/generate_workload.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/at.hpp"
#include "tests/support/fixtures.hpp"
#include "tests/support/kernel_flops.hpp"
#include "training/layout/rank_parameters.hpp"
#include "training/memory/memory.hpp"

namespace echo::workload {
namespace {

using training::Recompute;
using training::TrainingConfig;

Workload traced(const TrainingConfig& c, const training::ModelSpec& m,
                training::FrameworkSpec f = support::plain_framework()) {
  Workload out;
  const machine::ClusterSpec cluster = support::eight_gpu_nodes();
  generate_workload(c, m, f, cluster, support::layout_of(c, m), Backward::whole, out);
  return out;
}

// Flops of plain matrix products over all chunks' forward and backward of one microbatch, per gpu rank of a
// stage line.
double product_flops(const Workload& w) {
  return support::pass_flops(w, {&w.forward, &w.backward}, [](const ops::KernelKey& key, TimeCategory part) {
    return part != TimeCategory::recompute && key.kind == ops::KernelKind::gemm && key.batch == 1;
  });
}

TEST(Workload, MatrixProductsDoTheModelFlopsExactly) {
  for (const training::ModelSpec& m : {support::tiny_gpt(), support::tiny_llama()})
    for (const std::int32_t tensor : {1, 2, 4})
      for (const std::int32_t pipeline : {1, 2, 4})
        for (const bool sequence_parallel : {false, true}) {
          TrainingConfig c = support::a_config({.tensor = tensor, .pipeline = pipeline, .data = 1});
          c.sequence_parallel = sequence_parallel;
          const Workload w = traced(c, m);
          training::ModelSpec padded = m;
          padded.vocab =
              static_cast<std::int32_t>(training::padded_vocabulary(c, m, support::plain_framework()));
          const double attention = 3.0 * 1024 * 2.0 * 1024 * m.heads * m.head_dim * m.layers;
          EXPECT_DOUBLE_EQ(product_flops(w) * tensor, training::model_flops(padded, 1, 1024) - attention)
              << m.name << " tp " << tensor << " pp " << pipeline;
        }
}

TEST(Workload, OneTensorRankCommunicatesNothingInsideABlock) {
  const Workload w = traced(support::a_config({.tensor = 1, .pipeline = 2, .data = 2}), support::tiny_gpt());
  for (std::int32_t i = 0; i < w.block_count; ++i)
    for (const Lane lane : w.blocks[at(i)].lane) EXPECT_EQ(lane, Lane::compute);
}

std::int64_t tensor_payload(const Workload& w) {
  std::int64_t sum = 0;
  for (const Csr<BlockRun>* runs : {&w.forward, &w.backward})
    for (const BlockRun& run : runs->value) {
      const OpGraph& block = w.blocks[at(run.block)];
      for (std::size_t op = 0; op < block.lane.size(); ++op)
        if (block.lane[op] == Lane::tensor)
          sum += run.count * w.collectives[at(block.work[op]) - w.kernels.size()].payload.value;
    }
  return sum;
}

// Per layer and microbatch: 4 all-reduces of s*b*h without sequence parallelism; with it 4 gathers and 4
// scatters, and 2 more gathers of the inputs of column-parallel weight gradients (Korthikanti 2022,
// section 4.2.2).
TEST(Workload, TensorParallelTrafficIsThePapers) {
  const training::ModelSpec m = support::tiny_gpt();
  TrainingConfig c = support::a_config({.tensor = 4, .pipeline = 1, .data = 1});
  const std::int64_t activations = 1024LL * 1024 * 2, loss = 3 * 4 * 1024;
  EXPECT_EQ(tensor_payload(traced(c, m)),
            (4 * m.layers + 1 + 1) * activations + loss);  // + embedding, logits' input
  c.sequence_parallel = true;
  EXPECT_EQ(tensor_payload(traced(c, m)), (10 * m.layers + 2 + 3) * activations + loss);
}

TEST(Workload, FullRecomputationRepeatsTheWholeForwardOfEachLayer) {
  TrainingConfig c = support::a_config({.tensor = 2, .pipeline = 1, .data = 1});
  c.flash_attention = false;
  const auto recomputed = [&](Recompute mode) {
    c.recompute = mode;
    const Workload w = traced(c, support::tiny_gpt());
    int count = 0;
    for (std::int32_t i = 0; i < w.block_count; ++i)
      for (const TimeCategory part : w.blocks[at(i)].part) count += part == TimeCategory::recompute;
    return count;
  };
  EXPECT_EQ(recomputed(Recompute::none), 0);
  EXPECT_EQ(recomputed(Recompute::selective), 5);  // scores, softmax, dropout, context, layout copy
  EXPECT_EQ(recomputed(Recompute::full), 14);  // 5 of attention, 4 products, 2 norms, 2 residuals, activation
}

TEST(Workload, BucketsCarryEveryGradientOnce) {
  for (const training::ModelSpec& m : {support::tiny_gpt(), support::tiny_llama()}) {
    TrainingConfig c = support::a_config({.tensor = 2, .pipeline = 2, .data = 4});
    c.overlap.grad_reduce = true;
    c.zero = training::ZeroStage::optimizer;
    training::FrameworkSpec f = support::plain_framework();
    f.bucket_parameters = 3'000'000;
    const Workload w = traced(c, m, f);
    const training::RankLayout layout = support::layout_of(c, m);
    for (std::size_t chunk = 0; chunk < 2; ++chunk) {
      const OpGraph& block = w.blocks[at(w.last_backward[chunk])];
      std::int64_t bytes = 0;
      for (std::size_t op = 0; op < block.lane.size(); ++op)
        if (block.lane[op] == Lane::data)
          bytes += w.collectives[at(block.work[op]) - w.kernels.size()].payload.value;
      // Biases of column-parallel layers, position tables and the final norm ride with their neighbours:
      // under 2 %.
      const std::int64_t parameters =
          training::chunk_parameters(c, m, f, layout, static_cast<std::int32_t>(chunk)).dense;
      EXPECT_LE(bytes, 4 * parameters) << m.name;
      EXPECT_GE(bytes, 4 * parameters * 98 / 100) << m.name;
    }
  }
}

double attention_flops(const Workload& w) {
  return support::pass_flops(w, {&w.forward, &w.backward}, [](const ops::KernelKey& key, TimeCategory) {
    return key.kind == ops::KernelKind::attention_forward || key.kind == ops::KernelKind::attention_backward;
  });
}

TEST(Workload, ContextRanksShareTheWorkOfTheWholeSequenceExactly) {
  for (const training::ModelSpec& m : {support::tiny_gpt(), support::tiny_llama()}) {
    const Workload whole = traced(support::a_config({.tensor = 2, .pipeline = 1, .data = 4}), m);
    for (const std::int32_t context : {2, 4}) {
      const Workload part =
          traced(support::a_config({.tensor = 2, .pipeline = 1, .data = 4 / context, .context = context}), m);
      EXPECT_DOUBLE_EQ(product_flops(part) * context, product_flops(whole)) << m.name << " cp " << context;
      EXPECT_DOUBLE_EQ(attention_flops(part) * context, attention_flops(whole))
          << m.name << " cp " << context;
    }
  }
}

// (Bytes, number) of one kind of collective over the chunk's every pass.
std::pair<std::int64_t, int> traffic(const Workload& w, Lane lane, ops::CollectiveKind kind) {
  std::pair<std::int64_t, int> sum{0, 0};
  for (const Csr<BlockRun>* runs : {&w.forward, &w.backward})
    for (const BlockRun& run : runs->value) {
      const OpGraph& block = w.blocks[at(run.block)];
      for (std::size_t op = 0; op < block.lane.size(); ++op) {
        if (block.lane[op] != lane) continue;
        const ops::CollectiveQuery& query = w.collectives[at(block.work[op]) - w.kernels.size()];
        if (query.kind != kind) continue;
        sum.first += run.count * query.payload.value;
        sum.second += run.count;
      }
    }
  return sum;
}

TEST(Workload, KeysAndValuesTravelRoundTheRingOnceAndTwiceInBackward) {
  const training::ModelSpec m = support::tiny_llama();
  const Workload w = traced(support::a_config({.tensor = 1, .pipeline = 1, .data = 1, .context = 4}), m);
  // Three transfers forward; keys alone, twice both, gradients alone backward.
  const std::int64_t own = 2LL * (1024 / 4) * m.kv_heads * m.head_dim * 2;  // keys and values, 2 bytes each
  EXPECT_EQ(traffic(w, Lane::context, ops::CollectiveKind::send_recv),
            (std::pair<std::int64_t, int>(m.layers * 3 * (own + 2 * own), m.layers * 7)));
}

TEST(Workload, FullShardsAreGatheredTwiceAndScatteredOnceAMicrobatch) {
  for (const training::ModelSpec& m : {support::tiny_gpt(), support::tiny_llama()}) {
    TrainingConfig c = support::a_config({.tensor = 1, .pipeline = 1, .data = 8});
    c.zero = training::ZeroStage::parameters;
    const Workload w = traced(c, m);
    const std::int64_t layers =
        m.layers * training::layer_parameters_per_rank(c, m, training::LayerKind::dense).dense;
    const std::int64_t root =
        training::chunk_parameters(c, m, support::plain_framework(), support::layout_of(c, m), 0).dense -
        layers;
    EXPECT_EQ(traffic(w, Lane::data, ops::CollectiveKind::all_gather).first, 2 * (2 * layers + root))
        << m.name;
    EXPECT_EQ(traffic(w, Lane::data, ops::CollectiveKind::reduce_scatter).first, 4 * (layers + root))
        << m.name;
    EXPECT_EQ(w.tail.gradients.value.size(), 0U) << "nothing is left to reduce after the backward";
  }
}

TEST(Workload, HybridShardsAlsoSumTheScatteredGradientsOverReplicas) {
  TrainingConfig c = support::a_config({.tensor = 1, .pipeline = 1, .data = 32});
  c.zero = training::ZeroStage::parameters;
  c.zero_group = 8;
  const Workload w = traced(c, support::tiny_gpt());
  const auto scattered = traffic(w, Lane::data, ops::CollectiveKind::reduce_scatter);
  const auto summed = traffic(w, Lane::data, ops::CollectiveKind::all_reduce);
  EXPECT_EQ(summed.second, scattered.second);
  EXPECT_EQ(summed.first, scattered.first / 8);
  for (const ops::CollectiveQuery& query : w.collectives) {
    if (query.kind == ops::CollectiveKind::reduce_scatter) {
      EXPECT_EQ(query.group.nodes, 1);
    }
  }
}

TEST(Workload, ASplitBackwardDoesTheSameProductsInTwoPasses) {
  for (const training::ModelSpec& m : {support::tiny_gpt(), support::tiny_llama()}) {
    TrainingConfig c = support::a_config({.tensor = 2, .pipeline = 2, .data = 1});
    c.sequence_parallel = true;
    const Workload whole = traced(c, m);
    Workload split;
    generate_workload(c, m, support::plain_framework(), support::eight_gpu_nodes(), support::layout_of(c, m),
                      Backward::split, split);
    Workload weights = split;  // the weight pass alone, where product_flops looks
    weights.forward.clear();
    weights.backward = split.weight_gradients;
    EXPECT_DOUBLE_EQ(product_flops(split) + product_flops(weights), product_flops(whole)) << m.name;
    EXPECT_GT(product_flops(weights), 0.3 * product_flops(whole)) << m.name;
    EXPECT_EQ(tensor_payload(split), tensor_payload(whole)) << m.name;
  }
}

TEST(Workload, DependenciesPointBackwards) {
  TrainingConfig c = support::a_config({.tensor = 2, .pipeline = 2, .data = 4});
  c.overlap = {.grad_reduce = true, .param_gather = true};
  c.zero = training::ZeroStage::optimizer;
  c.sequence_parallel = true;
  c.recompute = Recompute::full;
  const Workload w = traced(c, support::tiny_llama());
  for (std::int32_t i = 0; i < w.block_count; ++i) {
    const OpGraph& block = w.blocks[at(i)];
    ASSERT_EQ(block.needs.rows(), block.size());
    for (const OpId op : ids<OpId>(block.size()))
      for (const OpId need : block.needs.row(op)) {
        EXPECT_FALSE(need.is_none());
        EXPECT_LT(need, op);
      }
  }
}

TEST(Workload, TracingAgainIntoTheSameBuffersGivesTheSameWork) {
  TrainingConfig c = support::a_config({.tensor = 2, .pipeline = 4, .data = 2});
  const training::ModelSpec m = support::tiny_llama();
  Workload reused = traced(c, support::tiny_gpt());
  c.recompute = Recompute::selective;
  generate_workload(c, m, support::plain_framework(), support::eight_gpu_nodes(), support::layout_of(c, m),
                    Backward::whole, reused);
  const Workload fresh = traced(c, m);
  EXPECT_EQ(reused.kernels, fresh.kernels);
  EXPECT_EQ(reused.collectives, fresh.collectives);
  EXPECT_EQ(reused.forward, fresh.forward);
  EXPECT_EQ(reused.tail.update, fresh.tail.update);
}

// Weight gradients of a layer's backward that wait for the tensor group's last sum before them.
int held_products(const Workload& w) {
  int held = 0;
  for (const BlockRun& run : w.backward.value) {
    const OpGraph& block = w.blocks[at(run.block)];
    OpId sum;
    for (const OpId op : ids<OpId>(block.size())) {
      const std::size_t i = at(op);
      const auto needs = block.needs.row(op);
      const bool waits = std::find(needs.begin(), needs.end(), sum) != needs.end();
      if (block.lane[i] == Lane::tensor) {
        sum = op;
      } else if (waits && w.kernels[at(block.work[i])].layout == ops::GemmLayout::nt) {
        ++held;
      }
    }
  }
  return held;
}

TEST(Workload, WeightGradientsRunBesideTheSumOfInputGradientsOrAfterIt) {
  TrainingConfig c = support::a_config({.tensor = 4});
  c.sequence_parallel = false;
  training::FrameworkSpec f = support::plain_framework();
  EXPECT_EQ(held_products(traced(c, support::tiny_gpt(), f)), 0);
  f.waits_for_input_gradients = true;
  // Two column-parallel products in each kind of layer, and the head.
  EXPECT_EQ(held_products(traced(c, support::tiny_gpt(), f)), 3);
}

}  // namespace
}  // namespace echo::workload
