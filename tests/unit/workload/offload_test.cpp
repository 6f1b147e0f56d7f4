// Copies to and from the memory of the host: what travels, and who waits for it.
#include <gtest/gtest.h>

#include <numeric>

#include "base/at.hpp"
#include "tests/support/data_traffic.hpp"
#include "tests/support/fixtures.hpp"
#include "training/memory/layer_activations.hpp"
#include "training/memory/memory.hpp"
#include "workload/generate_workload.hpp"
#include "workload/traffic/activation_offload.hpp"

namespace echo::workload {
namespace {

using ops::CollectiveKind;
using support::bytes_per_step;
using training::TrainingConfig;
using training::ZeroStage;

Workload traced(const TrainingConfig& c, const training::ModelSpec& m) {
  Workload out;
  generate_workload(c, m, support::plain_framework(), support::eight_gpu_nodes(), support::layout_of(c, m),
                    Backward::whole, out);
  return out;
}

TEST(ActivationOffload, WhatLayersKeepLeavesAndReturnsOnceAMicrobatch) {
  const training::ModelSpec m = support::tiny_llama();
  for (const ZeroStage zero : {ZeroStage::none, ZeroStage::optimizer, ZeroStage::parameters})
    for (const std::int32_t layers : {0, 1, 3, 7}) {
      TrainingConfig c = support::a_config({.data = 8});
      c.overlap = {.grad_reduce = true, .param_gather = true};
      c.zero = zero;
      c.recipe.offload_layers = layers;
      const auto each = std::llround(
          training::kept_layer_bytes(c, m, support::plain_framework(), training::LayerKind::dense));
      EXPECT_EQ(bytes_per_step(traced(c, m), 4, Lane::host)[CollectiveKind::host_copy],
                4 * 2 * layers * each);
    }
}

// A benchmark of forward and backward passes: gradients are summed, and nothing is updated or gathered.
TEST(Optimizer, MayBeNone) {
  const training::ModelSpec m = support::tiny_llama();
  TrainingConfig c = support::a_config({.data = 8});
  c.zero = ZeroStage::optimizer;
  c.recipe.grad_clip = true;
  const Workload whole = traced(c, m);
  EXPECT_GT(whole.tail.update.value.size() * whole.tail.grad_norm.value.size(), 0U);
  c.recipe.optimizer = training::Optimizer::none;
  const Workload passes = traced(c, m);
  EXPECT_EQ(passes.tail.update.value.size() + passes.tail.grad_norm.value.size(), 0U);
  EXPECT_EQ(bytes_per_step(passes, 4)[CollectiveKind::reduce_scatter],
            bytes_per_step(whole, 4)[CollectiveKind::reduce_scatter]);
  EXPECT_EQ(bytes_per_step(passes, 4)[CollectiveKind::all_gather], 0);
  EXPECT_GT(bytes_per_step(whole, 4)[CollectiveKind::all_gather], 0);
}

// The layer each op of a forward block belongs to, counted by its two norms; 8 = the head.
std::vector<std::int32_t> layers_of(const Workload& w, const OpGraph& block) {
  std::vector<std::int32_t> out;
  std::int32_t norms = 0;
  for (std::int32_t op = 0; op < block.size(); ++op) {
    const std::size_t place = at(op);
    const bool norm = block.lane[place] == Lane::compute &&
                      w.kernels[at(block.work[place])].kind == ops::KernelKind::norm_forward;
    norms += norm;
    out.push_back((norms + 1) / 2 - 1);
  }
  return out;
}

// Transformer Engine's rule, layer by layer: 8 layers' ends dealt out to the copies.
std::vector<std::int32_t> window_ends(std::int32_t copies) {
  std::vector<std::int32_t> ends;
  std::int32_t shift = 0;
  for (std::int32_t i = 0; i < copies; ++i) {
    if (i < 8 % copies) shift = i + 1;
    ends.push_back(8 / copies * (i + 1) - 1 + shift);
  }
  return ends;
}

TEST(ActivationOffload, ComputationWaitsForACopyAtTheEndOfItsWindow) {
  const training::ModelSpec m = support::tiny_llama();
  for (const std::int32_t copies : {1, 2, 3, 5, 7}) {
    TrainingConfig c = support::a_config({.data = 1});
    c.recipe.offload_layers = copies;
    const Workload w = traced(c, m);
    const OpGraph& block = w.blocks[at(w.whole_forward.front())];
    const std::vector<std::int32_t> layer = layers_of(w, block), ends = window_ends(copies);
    std::int32_t nth = 0;
    for (std::int32_t op = 0; op < block.size(); ++op) {
      if (block.lane[at(op)] != Lane::host) continue;
      const std::int32_t begins = nth == 0 ? 0 : ends[at(nth) - 1];
      EXPECT_EQ(layer[at(op)], begins) << copies;
      EXPECT_GE(begins, nth);  // what it copies is there
      std::int32_t waits = -1;
      for (std::int32_t user = op; user < block.size(); ++user)
        for (const OpId need : block.needs.row(user))
          if (need == OpId(op) && waits < 0) waits = user;
      ASSERT_GE(waits, 0);
      EXPECT_EQ(layer[at(waits)], ends[at(nth)] + 1) << copies;
      ++nth;
    }
    EXPECT_EQ(nth, copies);
  }
}

TEST(OffloadedOptimizer, EachRanksGradientsLeaveOnceAndItsWeightsReturn) {
  const training::ModelSpec m = support::tiny_llama();
  for (const std::int32_t data : {1, 8})
    for (const bool overlapped : {false, true}) {
      TrainingConfig c = support::a_config({.data = data});
      c.overlap.grad_reduce = overlapped;
      c.zero = ZeroStage::optimizer;
      c.recipe.offload_optimizer = true;
      const Workload w = traced(c, m);
      const std::int64_t own = training::total_parameters(m) / data;
      std::int64_t copied = bytes_per_step(w, 32 / data, Lane::host)[CollectiveKind::host_copy], updated = 0;
      EXPECT_EQ(copied > 0, overlapped && data > 1);
      for (const WorkRun& run : w.tail.update.value) {
        if (run.is_kernel) {
          EXPECT_NE(w.kernels[at(run.work)].kind, ops::KernelKind::optimizer);
          continue;
        }
        const ops::CollectiveQuery& query = w.collectives[at(run.work) - w.kernels.size()];
        if (query.kind == CollectiveKind::host_copy) copied += query.payload.value;
        if (query.kind == CollectiveKind::host_update) updated += query.payload.value;
      }
      EXPECT_EQ(updated, own * (4 + 24 + 2));
      EXPECT_NEAR(static_cast<double>(copied), static_cast<double>(own * (4 + 2)), 10000.0);
    }
}

TEST(EightBitGathers, WeightsOfProductsTravelInOneByteTheRestInTwo) {
  const training::ModelSpec m = support::tiny_llama();
  const std::int64_t h = 1024, products = 8 * (h * (16 + 8) * 64 + h * h + 3 * h * m.ffn_hidden);
  const std::int64_t all = training::total_parameters(m), root = 2LL * 32000 * h + h, layers = all - root;
  TrainingConfig c = support::a_config({.data = 8});
  c.precision = machine::Precision::fp8;
  c.recipe.fp8_gather = true;
  c.zero = ZeroStage::optimizer;
  for (const bool overlapped : {false, true}) {
    c.overlap.param_gather = overlapped;
    EXPECT_EQ(bytes_per_step(traced(c, m), 4)[CollectiveKind::all_gather], 2 * all - products);
  }
  c.zero = ZeroStage::parameters;
  EXPECT_EQ(bytes_per_step(traced(c, m), 4)[CollectiveKind::all_gather],
            4 * (2 * (2 * layers - products) + 2 * root));
}

}  // namespace
}  // namespace echo::workload
