// Weights that live in a memory tier: how long computation waits for them.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/at.hpp"
#include "tests/support/fixtures.hpp"
#include "timeline/block/block.hpp"
#include "workload/generate_workload.hpp"

namespace echo::workload {
namespace {

using machine::MemoryTier;
using ops::CollectiveKind;

// On one GPU, by itself.
Workload streaming() {
  training::TrainingConfig c = support::a_config({.data = 1});
  c.recipe.offload_weights = true;
  c.recipe.weight_tier = MemoryTier::nvme;
  const training::ModelSpec m = support::tiny_llama();
  Workload out;
  generate_workload(c, m, support::plain_framework(), support::eight_gpu_nodes(), support::layout_of(c, m),
                    Backward::whole, out);
  return out;
}

// Times of a forward pass whose kernels take 1 us each, and whose copies take `copy` a layer and `root`.
struct Pass {
  SimTime whole{}, embedding{}, layer{}, head{};
  std::int32_t layers = 0;
};
Pass forward_pass(const Workload& w, SimTime copy, SimTime root) {
  const OpGraph& block = w.blocks[at(w.whole_forward.front())];
  std::vector<SimTime> alone(w.kernels.size(), std::chrono::microseconds(1));
  Bytes least(INT64_MAX);
  for (const ops::CollectiveQuery& query : w.collectives)
    if (query.kind == CollectiveKind::host_copy) least = std::min(least, query.payload);
  for (const ops::CollectiveQuery& query : w.collectives)
    alone.push_back(query.payload == least ? copy : root);
  timeline::BlockScratchData scratch;
  Pass pass;
  pass.whole = timeline::compose_block({block.lane, block.part, block.work, &block.needs}, alone, {}, scratch)
                   .makespan;
  // Computation between the arrivals that it waits for: the embedding, layer by layer, and the head.
  std::vector<SimTime> between{SimTime::zero()};
  for (std::int32_t op = 0; op < block.size(); ++op) {
    if (block.lane[at(op)] != Lane::compute) continue;
    const auto is_copy = [&](OpId need) { return block.lane[at(need)] == Lane::host; };
    if (std::ranges::any_of(block.needs.row(op), is_copy)) between.push_back(SimTime::zero());
    between.back() += alone[at(block.work[at(op)])];
  }
  pass.embedding = between[1], pass.layer = between[2];
  pass.layers = static_cast<std::int32_t>(between.size()) - 2;
  pass.head = between.back() - pass.layer;
  return pass;
}

// The root comes first, then a layer ahead of the one that runs: beyond the first layer's, what is exposed of
// each is max(0, transfer - compute).
TEST(WeightExposure, WhatIsExposedIsTheTransferBeyondTheLayerBefore) {
  const Workload w = streaming();
  const SimTime root = std::chrono::microseconds(40);
  for (const std::int64_t us : {1, 3, 7, 12, 13, 14, 15, 20, 60, 500}) {
    const SimTime copy = std::chrono::microseconds(us);
    const Pass pass = forward_pass(w, copy, root);
    ASSERT_EQ(pass.layers, 8);
    const SimTime first = std::max(pass.embedding, copy),
                  others = (pass.layers - 1) * std::max(pass.layer, copy);
    EXPECT_EQ(pass.whole, root + first + others + pass.layer + pass.head) << us;
  }
}

}  // namespace
}  // namespace echo::workload
