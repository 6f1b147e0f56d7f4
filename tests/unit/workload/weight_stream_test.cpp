// Weights that live in a memory tier: what travels.
#include <gtest/gtest.h>

#include <numeric>

#include "base/at.hpp"
#include "tests/support/data_traffic.hpp"
#include "tests/support/fixtures.hpp"
#include "training/layout/rank_parameters.hpp"
#include "workload/generate_workload.hpp"

namespace echo::workload {
namespace {

using machine::MemoryTier;
using ops::CollectiveKind;
using support::bytes_per_step;
using training::TrainingConfig;
using training::ZeroStage;

Workload traced(const TrainingConfig& c, const training::ModelSpec& m = support::tiny_llama()) {
  Workload out;
  generate_workload(c, m, support::plain_framework(), support::eight_gpu_nodes(), support::layout_of(c, m),
                    Backward::whole, out);
  return out;
}

TrainingConfig streaming(std::int32_t data, MemoryTier tier) {
  TrainingConfig c = support::a_config({.data = data});
  if (data > 1) c.zero = ZeroStage::parameters;
  c.recipe.offload_weights = true;
  c.recipe.weight_tier = tier;
  return c;
}

// Both passes of every microbatch bring this rank's part of all layers; the root comes in the forward alone.
TEST(WeightStream, EachPassBringsThisRanksPartOfEachLayer) {
  const training::ModelSpec m = support::tiny_llama();
  const std::int64_t all = training::total_parameters(m), root = 2LL * 32000 * 1024 + 1024;
  for (const std::int32_t data : {1, 8})
    for (const MemoryTier tier : {MemoryTier::host, MemoryTier::nvme}) {
      const TrainingConfig c = streaming(data, tier);
      const Workload w = traced(c);
      const std::int64_t microbatches = 32 / data;
      EXPECT_EQ(bytes_per_step(w, microbatches, Lane::host)[CollectiveKind::host_copy],
                microbatches * 2 * (2 * (all - root) + root) / data);
      TrainingConfig at_home = c;
      at_home.recipe.offload_weights = false;
      EXPECT_EQ(bytes_per_step(w, microbatches)[CollectiveKind::all_gather],
                bytes_per_step(traced(at_home), microbatches)[CollectiveKind::all_gather])
          << "what is gathered is the same";
      for (const ops::CollectiveQuery& query : w.collectives) {
        if (query.kind != CollectiveKind::host_copy) continue;
        EXPECT_EQ(query.tier.tier, tier);
        EXPECT_EQ(query.tier.gpus, tier == MemoryTier::host ? 0 : data);
        EXPECT_EQ(query.tier.read + query.tier.written, tier == MemoryTier::host ? Bytes(0) : query.payload);
      }
    }
}

TEST(WeightStream, WeightsReturnToTheirTierOnceAStep) {
  const training::ModelSpec m = support::tiny_llama();
  const std::int64_t own = training::total_parameters(m) / 8;
  for (const bool optimizer_is_away : {false, true})
    for (const MemoryTier tier : {MemoryTier::host, MemoryTier::cxl}) {
      TrainingConfig c = streaming(8, tier);
      c.recipe.offload_optimizer = optimizer_is_away;
      std::int64_t copied = 0, moved = 0, written = 0;
      const Workload w = traced(c);
      for (const WorkRun& run : w.tail.update.value) {
        if (run.is_kernel) continue;
        const ops::CollectiveQuery& query = w.collectives[at(run.work) - w.kernels.size()];
        if (query.kind == CollectiveKind::host_copy) copied += query.payload.value;
        if (query.kind == CollectiveKind::host_update) moved += query.payload.value;
        if (query.tier.tier == tier) written += query.tier.written.value;
      }
      EXPECT_EQ(copied, optimizer_is_away ? 0 : 2 * own) << "the host has written them";
      EXPECT_EQ(moved > 0, optimizer_is_away);
      if (tier == MemoryTier::cxl) {
        EXPECT_EQ(written, 2 * own);
      }
    }
}

TEST(OptimizerTier, StatesAreReadAndWrittenBackOnceAStep) {
  const training::ModelSpec m = support::tiny_llama();
  for (const training::Optimizer optimizer : {training::Optimizer::adam, training::Optimizer::sgd}) {
    TrainingConfig c = support::a_config({.data = 8});
    c.zero = ZeroStage::optimizer;
    c.recipe.offload_optimizer = true;
    c.recipe.optimizer = optimizer;
    const Workload on_host = traced(c);
    c.recipe.optimizer_tier = MemoryTier::nvme;
    const Workload on_drives = traced(c);
    const std::int64_t own = training::total_parameters(m) / 8;
    const std::int64_t states = own * (4 + (optimizer == training::Optimizer::adam ? 8 : 4));
    ASSERT_EQ(on_host.collectives.size(), on_drives.collectives.size());
    for (std::size_t i = 0; i < on_host.collectives.size(); ++i) {
      ops::CollectiveQuery query = on_drives.collectives[i];
      if (query.kind == CollectiveKind::host_update) {
        EXPECT_EQ(query.tier, (ops::TierTraffic{MemoryTier::nvme, Bytes(states), Bytes(states), 8}));
      }
      query.tier = {};
      EXPECT_EQ(query, on_host.collectives[i]) << "all else is the same";
    }
  }
}

}  // namespace
}  // namespace echo::workload
