// A frozen model does no weight-gradient products and sends no gradients but its adapters'.
#include "workload/layer/adapter.hpp"

#include <gtest/gtest.h>

#include "tests/support/data_traffic.hpp"
#include "tests/support/fixtures.hpp"
#include "tests/support/kernel_flops.hpp"
#include "tests/support/traced_workload.hpp"
#include "workload/generate_workload.hpp"

namespace echo::workload {
namespace {

using ops::CollectiveKind;
using support::bytes_per_step;
using support::DataBytes;
using training::TrainingConfig;
using training::ZeroStage;

constexpr std::int32_t rank = 16;

Workload traced(const TrainingConfig& c, const training::ModelSpec& m) {
  Workload out;
  generate_workload(c, m, support::plain_framework(), support::eight_gpu_nodes(), support::layout_of(c, m),
                    Backward::whole, out);
  return out;
}

TrainingConfig frozen(training::Degrees degrees) {
  TrainingConfig c = support::a_config(degrees);
  c.recipe.lora_rank = rank;
  return c;
}

// Entries of all adapters of tiny_llama: A of rank x inputs and B of outputs x rank beside four products.
std::int64_t adapters(const training::ModelSpec& m) {
  const std::int64_t h = 1024, qkv = (16 + 2 * 4) * 64, f = m.ffn_hidden;
  return m.layers * rank * ((h + qkv) + (h + h) + (h + 2 * f) + (f + h));
}

double product_flops(const Workload& w) {
  return support::pass_flops(w, {&w.forward, &w.backward}, [](const ops::KernelKey& key, TimeCategory) {
    return key.kind == ops::KernelKind::gemm;
  });
}

TEST(Adapter, ProductsAreTheFrozenModelsTwiceAndTheAdaptersThrice) {
  training::ModelSpec m = support::tiny_llama();
  m.vocab = 32768;  // no padding for any of these degrees
  const double attention = 3.0 * 1024 * 2.0 * 1024 * m.heads * m.head_dim * m.layers;
  const double expected = training::frozen_model_flops(m, 1, 1024) - attention +
                          3 * 2.0 * 1024 * static_cast<double>(adapters(m));
  for (const std::int32_t tensor : {1, 2, 4})
    for (const std::int32_t pipeline : {1, 2})
      for (const bool sequence_parallel : {false, true}) {
        TrainingConfig c = frozen({.tensor = tensor, .pipeline = pipeline});
        c.sequence_parallel = sequence_parallel && tensor > 1;
        EXPECT_DOUBLE_EQ(product_flops(traced(c, m)) * tensor, expected) << tensor << " " << pipeline;
      }
}

TEST(Adapter, OnlyAdaptersGradientsAndWeightsTravelBetweenDataRanks) {
  const training::ModelSpec m = support::tiny_llama();
  for (const bool overlapped : {false, true}) {
    TrainingConfig c = frozen({.data = 8});
    c.overlap = {.grad_reduce = overlapped, .param_gather = overlapped};
    EXPECT_EQ(bytes_per_step(traced(c, m), 4)[CollectiveKind::all_reduce], 4 * adapters(m));
    c.zero = ZeroStage::optimizer;
    const DataBytes sent = bytes_per_step(traced(c, m), 4);
    EXPECT_EQ(sent[CollectiveKind::reduce_scatter], 4 * adapters(m));
    EXPECT_EQ(sent[CollectiveKind::all_gather], 2 * adapters(m));
  }
}

TEST(Adapter, ShardedFrozenWeightsAreGatheredButOnlyAdaptersScattered) {
  const training::ModelSpec m = support::tiny_llama();
  TrainingConfig c = frozen({.data = 8});
  c.zero = ZeroStage::parameters;
  const DataBytes sent = bytes_per_step(traced(c, m), 4);
  const std::int64_t root = 2LL * 32000 * 1024 + 1024, all = training::total_parameters(m) + adapters(m);
  EXPECT_EQ(sent[CollectiveKind::all_gather], 4 * 2 * (2 * (all - root) + root));
  EXPECT_EQ(sent[CollectiveKind::reduce_scatter], 4 * 4 * adapters(m));
}

// Per layer with sequence parallelism: the products' own 4 gathers and 4 scatters, no gather of inputs for
// weight gradients; each row-parallel adapter gathers its output and, backward, its gradient; each
// column-parallel one scatters its input gradient; and all four exchange the narrow activation both ways.
TEST(Adapter, TensorRanksExchangeNarrowActivationsAndWholeOutputs) {
  const training::ModelSpec m = support::tiny_llama();
  TrainingConfig c = frozen({.tensor = 4});
  const std::int64_t wide = 1024LL * 1024 * 2, narrow = 1024LL * rank * 2, loss = 3 * 4 * 1024;
  const auto sent = [&] {
    std::int64_t sum = 0;
    for (const std::int64_t bytes : bytes_per_step(traced(c, m), 1, Lane::tensor).of) sum += bytes;
    return sum;
  };
  c.sequence_parallel = true;
  EXPECT_EQ(sent(), (14 * m.layers + 3) * wide + 8 * m.layers * narrow + loss);
  // Without it: 4 sums of the products, 2 gathered outputs, 2 sums of adapters' input gradients.
  c.sequence_parallel = false;
  EXPECT_EQ(sent(), (8 * m.layers + 2) * wide + 8 * m.layers * narrow + loss);
}

std::int64_t bytes_moved(const Workload& w) {
  std::int64_t sum = 0;
  for (const auto* pass : {&w.forward, &w.backward})
    support::for_every_op(w, *pass, [&](int count, Lane lane, TimeCategory, std::size_t work) {
      if (lane == Lane::compute && w.kernels[work].kind == ops::KernelKind::elementwise)
        sum += count * ops::traffic_of(w.kernels[work]).value;
    });
  return sum;
}

// Of scaling (a read and a write) and adding (two reads, one write) one read is left, of each product's
// output forward and of its input's gradient backward, where the gradient of the output is scaled as well.
TEST(Adapter, AFuserLeavesOnePassOfFive) {
  const training::ModelSpec m = support::tiny_llama();
  TrainingConfig c = frozen({});
  const std::int64_t apart = bytes_moved(traced(c, m));
  c.recipe.op_fuser = true;
  const std::int64_t wide = 1024LL * 2, h = 1024, qkv = 1536, f = m.ffn_hidden;
  const std::int64_t outputs = qkv + h + 2 * f + h, inputs = h + h + h + f;
  EXPECT_EQ(apart - bytes_moved(traced(c, m)), m.layers * wide * (4 * outputs + 2 * outputs + 2 * inputs));
  EXPECT_DOUBLE_EQ(product_flops(traced(c, m)), product_flops(traced(frozen({}), m)));
}

// The two row-parallel adapters' outputs, and backward their gradients: a quarter of each, exchanged once.
TEST(Adapter, AnAllToAllTakesThePlaceOfTheGatherOfWholeOutputs) {
  const training::ModelSpec m = support::tiny_llama();
  TrainingConfig c = frozen({.tensor = 4});
  c.sequence_parallel = true;
  const DataBytes gathered = bytes_per_step(traced(c, m), 1, Lane::tensor);
  c.recipe.lora_a2a = true;
  const DataBytes exchanged = bytes_per_step(traced(c, m), 1, Lane::tensor);
  const std::int64_t wide = 1024LL * 1024 * 2;
  EXPECT_EQ(gathered[CollectiveKind::all_gather] - exchanged[CollectiveKind::all_gather],
            4 * m.layers * wide);
  EXPECT_EQ(exchanged[CollectiveKind::all_to_all], 4 * m.layers * wide / 4);
  c.sequence_parallel = false;  // each rank keeps the whole sequence
  EXPECT_EQ(bytes_per_step(traced(c, m), 1, Lane::tensor)[CollectiveKind::all_to_all], 0);
}

TEST(Adapter, TensorRanksHaveNoFuser) {
  const training::ModelSpec m = support::tiny_llama();
  TrainingConfig c = frozen({.tensor = 2});
  const std::int64_t apart = bytes_moved(traced(c, m));
  c.recipe.op_fuser = true;
  EXPECT_EQ(bytes_moved(traced(c, m)), apart);
}

TEST(Adapter, ADropoutIsOneKernelOfEachInputForwardAndBackward) {
  const training::ModelSpec m = support::tiny_llama();
  TrainingConfig c = frozen({});
  c.recipe.lora_targets = static_cast<std::int32_t>(training::Product::linear_qkv) +
                          static_cast<std::int32_t>(training::Product::linear_proj);
  const auto dropouts = [&](const auto& pass_of, ops::KernelKind kind) {
    const Workload w = traced(c, m);
    int found = 0;
    support::for_every_op(w, pass_of(w), [&](int count, Lane lane, TimeCategory, std::size_t work) {
      if (lane == Lane::compute) found += count * (w.kernels[work].kind == kind);
    });
    return found;
  };
  const auto forward = [](const Workload& w) -> const auto& { return w.forward; };
  const auto backward = [](const Workload& w) -> const auto& { return w.backward; };
  EXPECT_EQ(dropouts(forward, ops::KernelKind::dropout_forward), 0);
  c.recipe.lora_dropout = true;
  EXPECT_EQ(dropouts(forward, ops::KernelKind::dropout_forward), 2 * m.layers);
  EXPECT_EQ(dropouts(backward, ops::KernelKind::dropout_backward), 2 * m.layers);
}

TEST(Adapter, AnUnfrozenModelHasNone) {
  const training::ModelSpec m = support::tiny_llama();
  TrainingConfig c = support::a_config({.tensor = 2});
  const Workload without = traced(c, m);
  c.recipe.lora_rank = rank;
  EXPECT_GT(traced(c, m).kernels.size(), without.kernels.size());
  EXPECT_EQ(training::trained_layer_parameters(support::a_config(), m, training::LayerKind::dense),
            training::layer_parameters_per_rank(support::a_config(), m, training::LayerKind::dense));
}

}  // namespace
}  // namespace echo::workload
