// Laws of steps with mixtures of experts, over seeded random configs.
#include <gtest/gtest.h>

#include "tests/support/random_config.hpp"

namespace echo::simulate {
namespace {

class MixtureLaws : public ::testing::Test {
 protected:
  Catalog catalog_ = support::catalog_with_roomy_gpus();
  Calibration known_ = support::presets().calibration;
  Workspace ws_;

  MixtureLaws() {
    known_.slowdown = slowdown::NoSlowdown{};
    known_.contention = Contention::off;
    for (training::FrameworkSpec& f : catalog_.frameworks) f.host_per_kernel = SimTime::zero();
  }

  // Calls each(config, report) for feasible random mixtures; returns how many there were.
  template <class Each>
  int for_each(Each each) {
    int feasible = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
      const training::TrainingConfig c = support::random_config(seed);
      if (!catalog_.model(c.model).has_experts()) continue;
      const StepReport report = simulate(c, catalog_, known_, ws_);
      if (report.status != training::Status::ok) continue;
      ++feasible;
      SCOPED_TRACE(seed);
      each(c, report);
    }
    return feasible;
  }
  // Where the catalog was changed: what a workspace knows is of one catalog.
  StepReport anew(const training::TrainingConfig& c) const {
    Workspace fresh;
    return simulate(c, catalog_, known_, fresh);
  }
  training::ModelSpec& model_of(const training::TrainingConfig& c) {
    return catalog_.models[static_cast<std::size_t>(c.model.index())];
  }
  training::FrameworkSpec& framework_of(const training::TrainingConfig& c) {
    return catalog_.frameworks[static_cast<std::size_t>(c.framework.index())];
  }
};

SimTime expert_time(const StepReport& report) {
  return report.total[static_cast<std::size_t>(TimeCategory::ep_comm)];
}

TEST_F(MixtureLaws, TokensTravelExactlyWhereExpertsAreSpreadOrSplit) {
  EXPECT_GT(for_each([](const training::TrainingConfig& c, const StepReport& report) {
              const bool travels = c.degrees.expert * c.degrees.expert_tensor > 1;
              EXPECT_EQ(expert_time(report) > SimTime::zero(), travels);
            }),
            30);
}

TEST_F(MixtureLaws, OneMoreExpertPerTokenTakesLonger) {
  for_each([&](const training::TrainingConfig& c, const StepReport& report) {
    ++model_of(c).experts_per_token;
    EXPECT_GT(anew(c).step, report.step);
    --model_of(c).experts_per_token;
  });
}

TEST_F(MixtureLaws, MoreExpertsToChooseFromCostMemoryNotProducts) {
  for_each([&](const training::TrainingConfig& c, const StepReport& report) {
    model_of(c).experts *= 2;
    const StepReport more = anew(c);
    EXPECT_GT(more.memory_peak, report.memory_peak);
    EXPECT_EQ(more.total[static_cast<std::size_t>(TimeCategory::ep_comm)] > SimTime::zero(),
              expert_time(report) > SimTime::zero());
    model_of(c).experts /= 2;
  });
}

TEST_F(MixtureLaws, SharedExpertsBesideTheAllToAllCostNoMoreThanBeforeIt) {
  int gained = 0;
  for_each([&](const training::TrainingConfig& drawn, const StepReport&) {
    training::TrainingConfig c = drawn;
    c.recipe.overlaps_shared_experts = false;
    const SimTime apart = simulate(c, catalog_, known_, ws_).step;
    c.recipe.overlaps_shared_experts = true;
    const SimTime beside = simulate(c, catalog_, known_, ws_).step;
    // Under tensor parallelism the sum of the shared experts' outputs, hidden behind the routing before, may
    // show.
    if (c.degrees.tensor == 1) {
      EXPECT_LE(beside, apart);
    }
    EXPECT_LE(to_seconds(beside), 1.01 * to_seconds(apart));
    gained += beside < apart;
  });
  EXPECT_GT(gained, 5);
}

TEST_F(MixtureLaws, TheHostThatIssuesEachExpertsProductIsALowerBound) {
  for_each([&](const training::TrainingConfig& c, const StepReport& report) {
    const SimTime own = framework_of(c).host_per_expert;
    framework_of(c).host_per_expert = from_seconds(0.01);
    const training::ModelSpec& m = model_of(c);
    const std::int32_t experts = m.experts / c.degrees.expert;
    const SimTime slow = anew(c).step;
    EXPECT_GE(slow, report.step);
    // Six grouped products a layer and microbatch, two forward and four backward.
    const std::int64_t layers = training::moe_layers(m, 0, m.layers) / c.degrees.pipeline;
    if (experts > 1) {
      EXPECT_GE(slow, training::microbatches_of(c) * layers * 6 * experts * from_seconds(0.01));
    }
    framework_of(c).host_per_expert = own;
  });
}

// Eight experts of a token fall on 5.3 of eight ranks, and on fewer of more where they share nodes.
TEST_F(MixtureLaws, ADispatcherThatMovesTokensGainsWhereTheirExpertsShareRanksOrNodes) {
  training::TrainingConfig c;
  c.model = training::ModelId(support::named(catalog_.models, "qwen3-30b-a3b"));  // eight experts a token
  c.cluster = machine::ClusterId(support::named(catalog_.clusters, "dgx-h100-ndr400"));
  c.framework = training::FrameworkId(support::named(catalog_.frameworks, "megatron-core"));
  c.schedule = training::ScheduleId(find_named(timeline::schedule_table(), "1f1b"));
  c.batch = {.global_samples = 64, .micro_samples = 1, .sequence_tokens = 4096};
  for (const std::int32_t expert : {8, 16, 32}) {
    c.degrees = {.data = 32, .expert = expert};
    c.recipe.dispatch = training::Dispatch::per_copy;
    const SimTime copies = simulate(c, catalog_, known_, ws_).step;
    c.recipe.dispatch = training::Dispatch::per_node;
    const SimTime nodes = simulate(c, catalog_, known_, ws_).step;
    EXPECT_LT(nodes, copies) << expert;
  }
}

}  // namespace
}  // namespace echo::simulate
