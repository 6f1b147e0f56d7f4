// A frozen model does no weight-gradient products and sends no gradients but its adapters'.
#include "workload/layer/adapter.hpp"

#include <gtest/gtest.h>

#include "tests/support/data_traffic.hpp"
#include "tests/support/fixtures.hpp"
#include "tests/support/kernel_flops.hpp"
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
