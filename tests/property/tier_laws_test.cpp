// Laws of memory tiers over seeded random configs; slowdown off, host out of the way.
#include <gtest/gtest.h>

#include <numeric>

#include "machine/tier_share.hpp"
#include "simulate/prices/price_host.hpp"
#include "tests/support/random_config.hpp"

namespace echo::simulate {
namespace {

using machine::MemoryTier;
using machine::TierSpec;
using training::TrainingConfig;
using training::ZeroStage;

class TierLaws : public ::testing::Test {
 protected:
  Catalog catalog_ = support::catalog_with_roomy_gpus();
  Calibration known_ = support::presets().calibration;

  TierLaws() {
    known_.slowdown = slowdown::NoSlowdown{};
    known_.contention = Contention::off;
    for (training::FrameworkSpec& f : catalog_.frameworks) f.host_per_kernel = SimTime::zero();
    for (machine::GpuSpec& gpu : catalog_.gpus) gpu.host_link = BytesPerSecond(64e9);
    for (machine::ClusterSpec& c : catalog_.clusters)
      c.host_memory = BytesPerSecond(400e9), c.host_capacity = Bytes(0);
  }
  void set_tiers(const TierSpec& spec) {
    for (machine::ClusterSpec& c : catalog_.clusters) c.tiers.fill(spec);
  }
  StepReport run(const TrainingConfig& c) {
    Workspace fresh;  // prices of another catalog are no answer
    return simulate(c, catalog_, known_, fresh);
  }
  // A random config of which something leaves the GPU.
  static TrainingConfig leaving(std::uint64_t seed) {
    support::Draws draws(seed + 1'000'000);
    TrainingConfig c = support::random_config(seed);
    c.recipe.overlap_ep = false;
    training::Recipe& r = c.recipe;
    r.offload_optimizer = draws.coin(), r.offload_weights = draws.coin();
    if (r.offload_optimizer) c.zero = std::max(c.zero, ZeroStage::optimizer);
    if (r.offload_weights || draws.coin()) c.zero = ZeroStage::parameters;
    if (c.degrees.pipeline == 1 && c.recompute == training::Recompute::none)
      r.offload_layers = draws.below(4);
    if (!r.offload_optimizer && r.offload_layers == 0)
      r.offload_weights = true, c.zero = ZeroStage::parameters;
    r.fsdp_prefetch = draws.one_of({0, 1, 2});
    return c;
  }
  static TrainingConfig in(TrainingConfig c, MemoryTier tier) {
    c.recipe.optimizer_tier = c.recipe.activation_tier = c.recipe.weight_tier = tier;
    return c;
  }
  static TierSpec tier_of_rate(double rate, SimTime latency = {}) {
    return {.read = BytesPerSecond(rate), .write = BytesPerSecond(rate), .latency = latency};
  }
};

constexpr std::uint64_t seeds = 200;

// The host's own figures in another tier give its bytes and its times, but for weights that the host's
// processors send on to it after their update.
TEST_F(TierLaws, ATierLikeTheHostTakesAsLongAsTheHost) {
  set_tiers(tier_of_rate(400e9));
  int same = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    TrainingConfig c = leaving(seed);
    if (c.recipe.offload_weights) c.recipe.offload_optimizer = false;
    const StepReport host = run(c);
    for (const MemoryTier tier : {MemoryTier::cxl, MemoryTier::nvme, MemoryTier::remote})
      EXPECT_EQ(run(in(c, tier)), host) << seed;
    same += host.status == training::Status::ok;
  }
  EXPECT_GT(same, 60);
}

TEST_F(TierLaws, ASlowerTierNeverMakesAStepFaster) {
  int seen = 0, slower = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const TrainingConfig c = in(leaving(seed), MemoryTier::nvme);
    SimTime before{};
    for (const TierSpec& tier :
         {tier_of_rate(1e13), tier_of_rate(400e9), tier_of_rate(40e9),
          tier_of_rate(40e9, from_microseconds(500)), tier_of_rate(4e9, from_microseconds(500))}) {
      set_tiers(tier);
      const StepReport report = run(c);
      if (report.status != training::Status::ok) break;
      EXPECT_GE(report.step, before) << seed;
      EXPECT_EQ(std::accumulate(report.exposed.begin(), report.exposed.end(), SimTime::zero()), report.step);
      slower += report.step > before;
      before = report.step, ++seen;
    }
  }
  EXPECT_GT(seen, 5 * 60);
  EXPECT_GT(slower, seen * 3 / 5);
}

TEST_F(TierLaws, WhoSharesATierWithMoreGetsNoMoreOfIt) {
  for (std::uint64_t seed = 0; seed < seeds / 4; ++seed) {
    const TrainingConfig c = in(leaving(seed), MemoryTier::remote);
    SimTime before{};
    for (const machine::TierSharing shared_by :
         {machine::TierSharing::gpu, machine::TierSharing::node, machine::TierSharing::job}) {
      TierSpec pool = tier_of_rate(50e9);
      pool.shared_by = shared_by;
      set_tiers(pool);
      if (shared_by == machine::TierSharing::job && training::gpus_of(c.degrees) < 8) continue;
      const StepReport report = run(c);
      if (report.status != training::Status::ok) break;
      EXPECT_GE(report.step, before) << seed;
      before = report.step;
    }
  }
}

// Weights that leave take the GPU's place of none: what the memory model has on the GPU never grows.
TEST_F(TierLaws, WhatLeavesTheGpuFreesItsMemory) {
  set_tiers(tier_of_rate(400e9));
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    TrainingConfig c = leaving(seed);
    if (c.degrees.data * c.degrees.context == 1) continue;
    const StepReport away = run(c);
    if (away.status != training::Status::ok) continue;
    c.recipe.offload_optimizer = c.recipe.offload_weights = false, c.recipe.offload_layers = 0;
    const StepReport there = run(c);
    EXPECT_LE(away.memory_peak, there.memory_peak) << seed;
  }
}

TEST_F(TierLaws, WhatDoesNotFitATierIsRefusedAndSaysWhich) {
  int refused = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const TrainingConfig c = in(leaving(seed), MemoryTier::nvme);
    TierSpec tier = tier_of_rate(40e9);
    set_tiers(tier);
    const StepReport roomy = run(c);
    if (roomy.status != training::Status::ok) continue;
    tier.capacity = Bytes(1);
    set_tiers(tier);
    const StepReport report = run(c);
    EXPECT_EQ(report.status, training::Status::infeasible) << seed;
    EXPECT_EQ(report.reason, training::Reason::unsupported);
    EXPECT_EQ(report.rule, code_of(Refusal{"what leaves the GPU does not fit the NVMe drives", ""}));
    tier.capacity = Bytes(std::int64_t{1} << 60);
    set_tiers(tier);
    EXPECT_EQ(run(c), roomy) << seed;
    ++refused;
  }
  EXPECT_GT(refused, 60);
}

// latency + bytes / bandwidth, over the slower of link and tier; an update reads and writes its states.
TEST(TierPrices, AreLatencyAndBytesOverBandwidth) {
  const machine::GpuSpec gpu{.host_link = BytesPerSecond(100e9)};
  machine::ClusterSpec cluster{.gpus_per_node = 8, .host_memory = BytesPerSecond(8 * 200e9)};
  cluster.tiers[at(MemoryTier::nvme) - 1] = {
      .read = BytesPerSecond(8 * 10e9), .write = BytesPerSecond(8 * 5e9), .latency = from_microseconds(100)};
  ops::CollectiveQuery copy{.kind = ops::CollectiveKind::host_copy, .payload = Bytes(20'000'000'000)};
  copy.tier = {.tier = MemoryTier::nvme, .read = copy.payload, .gpus = 8};
  EXPECT_EQ(price_host(copy, gpu, cluster).time, from_seconds(2.0) + from_microseconds(110));
  copy.tier = {.tier = MemoryTier::nvme, .written = copy.payload, .gpus = 8};
  EXPECT_EQ(price_host(copy, gpu, cluster).time, from_seconds(4.0) + from_microseconds(110));
  ops::CollectiveQuery update{.kind = ops::CollectiveKind::host_update, .payload = Bytes(20'000'000'000)};
  const SimTime on_host = price_host(update, gpu, cluster).time;
  update.tier = {
      .tier = MemoryTier::nvme, .read = Bytes(10'000'000'000), .written = Bytes(10'000'000'000), .gpus = 8};
  EXPECT_EQ(price_host(update, gpu, cluster).time, from_seconds(1.0 + 2.0) + from_microseconds(100));
  update.tier.read = update.tier.written = Bytes(1000);
  EXPECT_EQ(price_host(update, gpu, cluster).time, on_host) << "hidden behind the processors' own work";
}

}  // namespace
}  // namespace echo::simulate
