// How a framework moves tokens and runs the experts they reach: the passes over rows that differ.
#include <gtest/gtest.h>

#include "tests/unit/workload/traced_mixture.hpp"

namespace echo::workload::mixtures {
namespace {

double bytes_moved(const Workload& w, KernelKind kind) {
  double bytes = 0.0;
  for (const Csr<BlockRun>* runs : {&w.forward, &w.backward})
    for (const KernelKey& k : kernels_of(w, *runs))
      if (k.kind == kind) bytes += static_cast<double>(ops::traffic_of(k).value);
  return bytes;
}

// DeepEP and HybridEP take tokens as they are: nothing is sorted before they leave, and what arrives is read
// once for a rank, not once for an expert.
TEST(MixtureWorkload, ADispatcherThatMovesTokensLeavesNothingToSortButWhatArrives) {
  const training::ModelSpec m = support::tiny_mixture();
  TrainingConfig c = mixing({.data = 8, .expert = 8});
  const Workload sorted = traced(c, m);
  c.recipe.dispatch = training::Dispatch::per_node;
  const Workload whole = traced(c, m);
  EXPECT_GT(bytes_moved(sorted, KernelKind::permute), 0.0);
  EXPECT_EQ(bytes_moved(whole, KernelKind::permute) + bytes_moved(whole, KernelKind::unpermute), 0.0);
  EXPECT_LT(bytes_moved(whole, KernelKind::elementwise), bytes_moved(sorted, KernelKind::elementwise));
  EXPECT_EQ(flops(whole, false), flops(sorted, false));
}

// Up to the router a layer of attention and a mixture is one graph; what tokens and experts need is issued.
TEST(MixtureWorkload, GraphsOfModulesEndWhereTokensLeave) {
  using training::GraphModule;
  const training::ModelSpec m = support::tiny_mixture();
  const auto most = [&](std::int32_t modules) {
    TrainingConfig c = mixing({.data = 8, .expert = 8});
    c.recipe.cuda_graph_modules = modules;
    const Workload w = traced(c, m);
    std::pair<std::int32_t, std::int32_t> found;  // launches and graphs of all blocks
    for (std::int32_t i = 0; i < w.block_count; ++i) {
      found.first += w.blocks[at(i)].launches;
      found.second = std::max(found.second, w.blocks[at(i)].graphs);
    }
    return found;
  };
  const std::int32_t attention = static_cast<std::int32_t>(GraphModule::attn),
                     router = static_cast<std::int32_t>(GraphModule::moe_router),
                     dispatcher = static_cast<std::int32_t>(GraphModule::moe_preprocess);
  const auto none = most(0), with_router = most(router), with_attention = most(attention | router),
             all = most(attention | router | dispatcher);
  EXPECT_EQ(none.second, 0);
  EXPECT_LT(with_router.first, none.first);
  EXPECT_LT(with_attention.first, with_router.first);
  EXPECT_LT(all.first, with_attention.first);
  EXPECT_GT(all.first, 0);
  EXPECT_EQ(with_router.second, 1);
  EXPECT_EQ(all.second, 1);  // adjoining parts are one
}

// Megatron's TEGroupedMLP._apply_bias and weighted_bias_quick_geglu_impl, element by element of the rows.
TEST(MixtureWorkload, BiasesAndClampsOfExpertsCostPassesOverAllRows) {
  const TrainingConfig c = mixing({.data = 8, .expert = 8});
  const training::ModelSpec plain = support::tiny_mixture();
  const double rows = 1024.0 * plain.experts_per_token, layers = moe_layers(plain, 0, plain.layers);
  const auto traffic = [&](const training::ModelSpec& m, const TrainingConfig& config) {
    double bytes = 0.0;
    const Workload w = traced(config, m);
    for (const Csr<BlockRun>* runs : {&w.forward, &w.backward})
      for (const KernelKey& k : kernels_of(w, *runs))
        if (k.kind != KernelKind::gemm) bytes += static_cast<double>(ops::traffic_of(k).value);
    return bytes;
  };
  training::ModelSpec biased = plain, clamped = plain;
  biased.linear_bias = clamped.clamped_activation = true;
  // 16 bit: product 2, sum 6, joined 4; backward: joined 4, and twice a product of 4 and its sum of 2.
  EXPECT_NEAR(traffic(biased, c) - traffic(plain, c), layers * rows * plain.hidden * (12 + 16), rows);
  // Two halves clamped and joined: 8 and 8 bytes an element of the width; backward 6 + 6 and 8.
  EXPECT_NEAR(traffic(clamped, c) - traffic(plain, c), layers * rows * plain.expert_ffn_hidden * (16 + 20),
              rows);
  // DeepEP and HybridEP carry fp32 probabilities, which widen the sums: 4, 12, 8 and the cast 6; backward
  // casts of 6 and 6, 4 and twice 8 + 4.
  TrainingConfig whole = c;
  whole.recipe.dispatch = training::Dispatch::per_node;
  EXPECT_NEAR(traffic(biased, whole) - traffic(plain, whole), layers * rows * plain.hidden * (30 + 40), rows);
}

TEST(MixtureWorkload, FusedExpertsLeaveProductsAndTheCastOfWhatArrives) {
  training::ModelSpec m = support::tiny_mixture();
  m.shared_expert_hidden = 0, m.first_dense_layers = 0;
  m.linear_bias = m.clamped_activation = true;
  TrainingConfig c = mixing({.data = 8, .expert = 8});
  c.precision = machine::Precision::mxfp8;
  const Workload apart = traced(c, m);
  c.recipe.fused_grouped_mlp = true;
  const Workload fused = traced(c, m);
  EXPECT_EQ(flops(fused, false), flops(apart, false));
  EXPECT_GT(bytes_moved(apart, KernelKind::activation_forward), 0.0);
  EXPECT_EQ(bytes_moved(fused, KernelKind::activation_forward), 0.0);
  EXPECT_EQ(bytes_moved(fused, KernelKind::activation_backward), 0.0);
  EXPECT_EQ(bytes_moved(fused, KernelKind::merge), 0.0);
  EXPECT_LT(bytes_moved(fused, KernelKind::quantize), bytes_moved(apart, KernelKind::quantize));
  EXPECT_GT(bytes_moved(fused, KernelKind::quantize), 0.0);
  for (const KernelKey& k : fused.kernels) EXPECT_FALSE(k.grouped);
}

}  // namespace
}  // namespace echo::workload::mixtures
