// Laws of device memory over random configs: whatever keeps less or shares more never needs more.
#include <gtest/gtest.h>

#include "simulate/step/stage_memory.hpp"
#include "tests/support/fixtures.hpp"
#include "tests/support/random_config.hpp"

namespace echo::simulate {
namespace {

using training::MemoryPart;
using training::MemoryUse;
using training::Recompute;
using training::TrainingConfig;
using training::ZeroStage;

// Memory of the stages of a config some framework could start; empty otherwise.
std::vector<MemoryUse> stages_of(const TrainingConfig& c, const Catalog& catalog) {
  const training::ModelSpec& model = catalog.model(c.model);
  if (training::first_broken_rule({c, model, catalog.framework(c), catalog.cluster(c.cluster), catalog.gpu(c)}))
    return {};
  training::RankLayout layout;
  training::lay_out_ranks(c, model, catalog.cluster(c.cluster), {}, layout);
  const timeline::Schedule& schedule =
      *timeline::schedule_table()[static_cast<std::size_t>(c.schedule.index())];
  schedule.place(c.degrees.pipeline, training::chunks_of(c), layout.stage_of_chunk);
  return memory_of_stages(c, catalog, layout);
}

class MemoryLaws : public ::testing::Test {
 protected:
  // Calls `check(config, stages)` for every random config that is feasible.
  template <class Check>
  int for_each(Check check) {
    int seen = 0;
    for (std::uint64_t seed = 0; seed < 600; ++seed) {
      const TrainingConfig c = support::random_config(seed);
      const auto stages = stages_of(c, catalog_);
      if (stages.empty()) continue;
      ++seen;
      check(c, stages);
    }
    EXPECT_GT(seen, 200);
    return seen;
  }
  // Every stage of `less` needs at most what it needs in `more`; how often it needs less.
  int expect_no_more(const TrainingConfig& less, const std::vector<MemoryUse>& more) {
    const auto stages = stages_of(less, catalog_);
    if (stages.empty()) return 0;
    for (std::size_t i = 0; i < stages.size(); ++i)
      EXPECT_LE(stages[i].total().value, more[i].total().value + 16);
    return stages.front().total() < more.front().total() ? 1 : 0;
  }
  const Catalog catalog_ = support::catalog_with_roomy_gpus();
};

TEST_F(MemoryLaws, PartsAreNeverNegativeAndAddUp) {
  for_each([](const TrainingConfig&, const std::vector<MemoryUse>& stages) {
    for (const MemoryUse& use : stages) {
      Bytes sum;
      for (const Bytes part : use.part) {
        ASSERT_GE(part, Bytes(0));
        sum += part;
      }
      ASSERT_EQ(sum, use.total());
      ASSERT_LE(use.allocated(), use.reserved());
      ASSERT_LE(use.reserved(), use.total());
    }
  });
}

TEST_F(MemoryLaws, MoreRecomputationNeverNeedsMore) {
  int less = 0;
  for_each([&](TrainingConfig c, const std::vector<MemoryUse>&) {
    c.recompute = Recompute::none;
    auto before = stages_of(c, catalog_);
    if (before.empty()) return;
    for (const Recompute mode : {Recompute::selective, Recompute::full}) {
      c.recompute = mode;
      less += expect_no_more(c, before);
      before = stages_of(c, catalog_);
    }
  });
  EXPECT_GT(less, 100);
}

// A rank that shares with nobody pays for the parts and saves nothing.
TEST_F(MemoryLaws, LaterStagesOfZeroNeverNeedMoreStates) {
  for_each([&](TrainingConfig c, const std::vector<MemoryUse>&) {
    const std::int32_t copies = c.degrees.data * c.degrees.context;
    const std::int32_t grid = c.degrees.expert * c.degrees.expert_tensor;
    if (copies == 1 || copies * c.degrees.tensor == grid) return;
    Bytes before;
    for (const ZeroStage zero : {ZeroStage::none, ZeroStage::optimizer, ZeroStage::gradients}) {
      c.zero = zero;
      const auto stages = stages_of(c, catalog_);
      if (stages.empty()) return;
      const MemoryUse& use = stages.front();
      const Bytes states = use.up_to(MemoryPart::optimizer);
      if (zero > ZeroStage::none) {
        ASSERT_LE(states.value, before.value + 16);
      }
      before = states;
    }
  });
}

TEST_F(MemoryLaws, WiderShardGroupsNeverNeedMore) {
  int less = 0;
  for_each([&](TrainingConfig c, const std::vector<MemoryUse>&) {
    if (c.zero == ZeroStage::none || c.degrees.data % 2 != 0) return;
    c.zero_group = 1;
    const auto before = stages_of(c, catalog_);
    c.zero_group = 0;
    if (!before.empty()) less += expect_no_more(c, before);
  });
  EXPECT_GT(less, 20);
}

TEST_F(MemoryLaws, MoreInFlightNeverNeedsLess) {
  for_each([&](const TrainingConfig& c, const std::vector<MemoryUse>&) {
    training::RankLayout layout;
    training::lay_out_ranks(c, catalog_.model(c.model), catalog_.cluster(c.cluster), {}, layout);
    Bytes before;
    for (std::int32_t in_flight = 1; in_flight < 5; ++in_flight) {
      const MemoryUse use = training::estimate_memory(c, catalog_.model(c.model), catalog_.framework(c),
                                                      layout, catalog_.gpu(c), 0, in_flight);
      ASSERT_GE(use.total(), before);
      before = use.total();
    }
  });
}

}  // namespace
}  // namespace echo::simulate
