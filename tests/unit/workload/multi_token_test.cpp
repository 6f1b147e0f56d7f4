// Multi-token prediction: a depth's arithmetic, gradients and transfers, on the last stage only.
#include "training/layout/multi_token.hpp"

#include <gtest/gtest.h>

#include <map>

#include "base/at.hpp"
#include "tests/support/kernel_flops.hpp"
#include "tests/support/traced_workload.hpp"

namespace echo::workload {
namespace {

using ops::CollectiveKind;
using ops::KernelKind;
using training::Degrees;
using training::TrainingConfig;

TrainingConfig predicting(std::int32_t depths, Degrees degrees = {}) {
  TrainingConfig c = support::a_config(degrees);
  c.sequence_parallel = degrees.tensor > 1;
  c.recipe.mtp_layers = depths;
  return c;
}

Workload traced(const TrainingConfig& c, const training::ModelSpec& m, Backward backward = Backward::whole) {
  return support::traced(c, m, support::plain_framework(), backward);
}

double product_flops(const Workload& w) {
  return support::pass_flops(w, {&w.forward, &w.backward, &w.weight_gradients},
                             [](const ops::KernelKey& key, TimeCategory part) {
                               return part != TimeCategory::recompute && key.kind == KernelKind::gemm;
                             });
}

TEST(MultiTokenWorkload, ItsProductsDoItsModelFlopsExactly) {
  for (const training::ModelSpec& m : {support::tiny_llama(), support::tiny_mixture()})
    for (const Degrees& d :
         {Degrees{}, Degrees{.tensor = 2, .pipeline = 2}, Degrees{.tensor = 4, .pipeline = 4}})
      for (const Backward backward : {Backward::whole, Backward::split}) {
        training::ModelSpec padded = m;
        padded.vocab = static_cast<std::int32_t>(
            training::padded_vocabulary(predicting(0, d), m, support::plain_framework()));
        const double attention = 3.0 * 1024 * 2.0 * 1024 * m.heads * m.head_dim;  // of the depth's one layer
        const double more = product_flops(traced(predicting(2, d), m, backward)) -
                            product_flops(traced(predicting(0, d), m, backward));
        const double expected = 2 * (training::multi_token_flops(padded, 1, 1024) - attention);
        EXPECT_NEAR(more * d.tensor, expected, 1e-9 * expected) << m.name << " tp " << d.tensor;
      }
}

TEST(MultiTokenWorkload, OnlyTheLastChunkDoesIt) {
  const training::ModelSpec m = support::tiny_llama();
  const Workload none = traced(predicting(0, {.pipeline = 4}), m),
                 two = traced(predicting(2, {.pipeline = 4}), m);
  for (std::int32_t chunk = 0; chunk < 4; ++chunk)
    EXPECT_EQ(two.forward.row(chunk).size() - none.forward.row(chunk).size(), chunk == 3 ? 1U : 0U);
}

// An embedding and a transformer layer, the two sums of a layer's halves, the head's input; and of the
// projection the input once more and its output.
TEST(MultiTokenWorkload, ADepthGathersItsProjectionOverTheTensorGroup) {
  const training::ModelSpec m = support::tiny_llama();
  const auto tensor_bytes = [&](std::int32_t depths) {
    const Workload w = traced(predicting(depths, {.tensor = 2}), m);
    std::map<CollectiveKind, std::int64_t> bytes;
    for (const BlockRun& run : w.forward.row(0)) {
      const OpGraph& block = w.blocks[at(run.block)];
      for (std::size_t op = 0; op < block.lane.size(); ++op)
        if (block.lane[op] == Lane::tensor) {
          const auto& query = w.collectives[at(block.work[op]) - w.kernels.size()];
          bytes[query.kind] += run.count * query.payload.value;
        }
    }
    return bytes;
  };
  const std::int64_t activations = 1024LL * 1024 * 2;
  auto none = tensor_bytes(0), one = tensor_bytes(1);
  const auto more = [&](CollectiveKind kind) { return one[kind] - none[kind]; };
  EXPECT_EQ(more(CollectiveKind::all_gather), (2 + 1 + 2 + 1) * activations);
  EXPECT_EQ(more(CollectiveKind::reduce_scatter), (1 + 2) * activations);
}

TEST(MultiTokenWorkload, EveryGradientGoesOutOnce) {
  for (const training::ModelSpec& m : {support::tiny_llama(), support::tiny_mixture()}) {
    std::map<bool, std::int64_t> reduced;
    for (const bool overlapped : {false, true}) {
      TrainingConfig c = predicting(2, {.pipeline = 2, .data = 8});
      c.zero = training::ZeroStage::optimizer;
      c.overlap.grad_reduce = overlapped;
      const Workload w = traced(c, m);
      const training::RankLayout layout = support::layout_of(c, m);
      const auto add = [&](WorkId work) {
        const auto& query = w.collectives[at(work) - w.kernels.size()];
        if (query.kind == CollectiveKind::reduce_scatter) reduced[overlapped] += query.payload.value;
      };
      for (const WorkRun& run : w.tail.gradients.value) add(run.work);
      for (std::size_t chunk = 0; overlapped && chunk < 2; ++chunk) {
        const OpGraph& block = w.blocks[at(w.last_backward[chunk])];
        for (std::size_t op = 0; op < block.lane.size(); ++op)
          if (block.lane[op] == Lane::data) add(block.work[op]);
      }
      if (!overlapped) continue;
      std::int64_t held = 0;
      for (std::int32_t stage = 0; stage < 2; ++stage)
        held += stage_parameters(c, m, support::plain_framework(), layout, stage).total();
      EXPECT_EQ(reduced[false], 4 * held);
      EXPECT_EQ(reduced[true], 4 * held);
    }
  }
}

TEST(MultiTokenWorkload, FirstAndLastStageSumTheGradientsOfTheirEmbeddings) {
  const training::ModelSpec m = support::tiny_llama();  // untied
  const auto sums = [&](const TrainingConfig& c) {
    const Workload w = traced(c, m);
    std::int32_t count = 0;
    for (const WorkRun& run : w.tail.gradients.value)
      count += w.collectives[at(run.work) - w.kernels.size()].kind == CollectiveKind::all_reduce;
    return count;
  };
  EXPECT_EQ(sums(predicting(0, {.pipeline = 4})), 0);
  EXPECT_EQ(sums(predicting(1, {.pipeline = 4})), 2);
  EXPECT_EQ(sums(predicting(1)), 0);
}

TEST(MultiTokenWorkload, UniformRecomputationRepeatsProjectionAndLayer) {
  const training::ModelSpec m = support::tiny_llama();
  const auto recomputed = [&](std::int32_t depths, training::RecomputeMethod method) {
    TrainingConfig c = predicting(depths);
    c.recompute = training::Recompute::full;
    c.recipe.recompute_method = method;
    const Workload w = traced(c, m);
    double sum = 0.0;
    for (const BlockRun& run : w.backward.value) {
      const OpGraph& block = w.blocks[at(run.block)];
      for (std::size_t op = 0; op < block.lane.size(); ++op) {
        if (block.part[op] != TimeCategory::recompute) continue;
        const ops::KernelKey& key = w.kernels[at(block.work[op])];
        if (key.kind == KernelKind::gemm) sum += run.count * ops::flops_of(key).value;
      }
    }
    return sum;
  };
  using training::RecomputeMethod;
  const double layers = recomputed(0, RecomputeMethod::uniform);
  EXPECT_DOUBLE_EQ(recomputed(1, RecomputeMethod::uniform), layers * 9 / 8 + 2.0 * 1024 * 2048 * 1024);
  EXPECT_DOUBLE_EQ(recomputed(1, RecomputeMethod::block), layers);
}

}  // namespace
}  // namespace echo::workload
