// Laws of recomputation, multi-token prediction and uneven experts, over seeded random configs: more work is
// never faster.
#include <gtest/gtest.h>

#include "tests/support/random_config.hpp"
#include "training/layout/expert_load.hpp"

namespace echo::simulate {
namespace {

using training::Module;
using training::Recompute;
using training::RecomputeMethod;
using training::TrainingConfig;

class RecomputeLaws : public ::testing::Test {
 protected:
  Catalog catalog_ = support::catalog_with_roomy_gpus();
  Calibration known_ = support::presets().calibration;
  Workspace ws_;

  RecomputeLaws() {
    known_.slowdown = slowdown::NoSlowdown{};
    known_.contention = Contention::off;
    for (training::FrameworkSpec& f : catalog_.frameworks)
      f.host_per_kernel = f.host_per_expert = SimTime::zero();
  }

  // Zero where the config is infeasible.
  SimTime step(const TrainingConfig& c) { return simulate(c, catalog_, known_, ws_).step; }

  // By a rule of its own, not for want of memory.
  bool is_refused(const TrainingConfig& c, SimTime time) {
    if (time > SimTime::zero()) return false;
    EXPECT_TRUE(why_unsupported(c, catalog_));
    return true;
  }

  // Calls each(config) for feasible random configs without recomputation; returns how many there were.
  template <class Each>
  int for_each(Each each) {
    int feasible = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
      TrainingConfig c = support::random_config(seed);
      c.recompute = Recompute::none;
      if (step(c) == SimTime::zero()) continue;
      ++feasible;
      SCOPED_TRACE(seed);
      each(c);
    }
    return feasible;
  }
  const training::ModelSpec& model(const TrainingConfig& c) { return catalog_.model(c.model); }
};

// Where transfers set the pace of a step, recomputation may hide behind them.
TEST_F(RecomputeLaws, NoGranularityIsFasterThanNoneAndMostAreSlower) {
  int slower = 0, compared = 0;
  const int feasible = for_each([&](TrainingConfig c) {
    const SimTime none = step(c);
    for (const Recompute recompute : {Recompute::selective, Recompute::per_op, Recompute::full}) {
      c.recompute = recompute;
      const SimTime now = step(c);
      if (now == SimTime::zero()) continue;  // per-op recomputation of Mamba layers
      EXPECT_GE(now, none);
      ++compared;
      slower += now > none;
    }
  });
  EXPECT_GT(feasible, 50);
  EXPECT_GT(slower, compared * 9 / 10);
}

TEST_F(RecomputeLaws, MoreRecomputedLayersAreNeverFaster) {
  for_each([&](TrainingConfig c) {
    SimTime before = step(c);
    c.recompute = Recompute::full;
    const SimTime full = step(c);
    c.recipe.recompute_method = RecomputeMethod::block;
    const std::int32_t chunk = (model(c).layers + training::chunks_of(c) - 1) / training::chunks_of(c);
    for (const std::int32_t layers : {1, chunk / 2, chunk}) {
      if (layers == 0) continue;
      c.recipe.recompute_layers = layers;
      const SimTime now = step(c);
      if (is_refused(c, now)) return;
      EXPECT_GE(now, before) << layers;
      EXPECT_LE(now, full) << layers;
      before = now;
    }
    EXPECT_EQ(before, full);
    c.recipe.recompute_method = RecomputeMethod::uniform;
    if (c.zero < training::ZeroStage::parameters) {
      EXPECT_EQ(step(c), full);
    }
  });
}

TEST_F(RecomputeLaws, OneMoreModuleIsNeverFaster) {
  for_each([&](TrainingConfig c) {
    c.recompute = Recompute::selective;
    c.recipe.overlaps_shared_experts = false;
    c.recipe.recompute_modules = 0;
    SimTime before = step(c);
    std::int32_t modules = 0;
    for (const Module module : {Module::layernorm, Module::moe_act, Module::mlp, Module::core_attn,
                                Module::mla_up_proj, Module::shared_experts, Module::moe}) {
      if (module == Module::mla_up_proj && !model(c).has_latent_attention()) continue;
      modules |= static_cast<std::int32_t>(module);
      c.recipe.recompute_modules = modules;
      const SimTime now = step(c);
      if (is_refused(c, now)) return;
      EXPECT_GE(now, before) << modules;
      before = now;
    }
    c.recompute = Recompute::full;
    EXPECT_LE(before, step(c));
  });
}

TEST_F(RecomputeLaws, MorePredictedTokensTakeLonger) {
  int predicted = 0;
  for_each([&](TrainingConfig c) {
    SimTime before = step(c);
    for (c.recipe.mtp_layers = 1; c.recipe.mtp_layers < 3; ++c.recipe.mtp_layers) {
      const SimTime now = step(c);
      if (now == SimTime::zero()) return;  // learned positions, sharded weights
      EXPECT_GT(now, before);
      before = now;
      ++predicted;
    }
  });
  EXPECT_GT(predicted, 30);
}

TEST_F(RecomputeLaws, MoreUnevenExpertsAreNeverFaster) {
  int slower = 0;
  for_each([&](TrainingConfig c) {
    if (!model(c).has_experts()) return;
    const SimTime even = step(c);
    SimTime before = even;
    const auto most = static_cast<std::int32_t>(1000 * training::greatest_imbalance(model(c)));
    for (c.recipe.imbalance_permille = 50; c.recipe.imbalance_permille <= most;
         c.recipe.imbalance_permille *= 2) {
      const SimTime now = step(c);
      EXPECT_GE(now, before) << c.recipe.imbalance_permille;
      before = now;
    }
    slower += before > even;
    EXPECT_EQ(before > even, c.degrees.expert > 1);
  });
  EXPECT_GE(slower, 10);
}

TEST_F(RecomputeLaws, MoreCapacityIsNeverFaster) {
  for_each([&](TrainingConfig c) {
    if (!model(c).has_experts()) return;
    SimTime before{};
    for (const std::int32_t permille : {500, 1000, 1250, 2000}) {
      c.recipe.capacity_permille = permille;
      const SimTime now = step(c);
      EXPECT_GE(now, before) << permille;
      before = now;
    }
  });
}

}  // namespace
}  // namespace echo::simulate
