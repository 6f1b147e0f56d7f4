// Laws every simulated step obeys, over seeded random configs.
#include <gtest/gtest.h>

#include <numeric>

#include "simulate/prices/price_work.hpp"
#include "tests/support/random_config.hpp"

namespace echo::simulate {
namespace {

using support::catalog_with_roomy_gpus;
using support::presets;
using support::random_config;
using training::Status;
using training::TrainingConfig;

constexpr std::uint64_t seeds = 1500;

TEST(Step, PartsSumToTheStepAndUtilisationStaysBelowOne) {
  const Catalog catalog = catalog_with_roomy_gpus();
  Workspace ws;
  int composed = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const StepReport r = simulate(random_config(seed), catalog, presets().calibration, ws);
    if (r.status != Status::ok) continue;
    ++composed;
    const SimTime sum = std::accumulate(r.exposed.begin(), r.exposed.end(), SimTime::zero());
    ASSERT_EQ(sum, r.step) << "seed " << seed;
    ASSERT_GT(r.mfu, 0.0) << "seed " << seed;
    ASSERT_LT(r.mfu, 1.0) << "seed " << seed;
    ASSERT_GE(r.step, r.step_no_slowdown / 2) << "seed " << seed;
  }
  EXPECT_GT(composed, 500);
}

TEST(Step, ZeroBubbleSchedulesObeyTheSameLawsAndNeverLoseTo1F1B) {
  const Catalog catalog = catalog_with_roomy_gpus();
  Calibration calibration = presets().calibration;
  calibration.slowdown = slowdown::NoSlowdown{};
  calibration.contention = Contention::off;
  Workspace ws;
  int composed = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    TrainingConfig c = random_config(seed);
    c.degrees.virtual_stages = 1;
    c.zero = std::min(c.zero, training::ZeroStage::optimizer);
    c.overlap = {.pipeline = true};
    if (c.degrees.pipeline == 1) continue;
    const auto step_with = [&](const char* schedule) {
      c.schedule = training::ScheduleId(find_named(timeline::schedule_table(), schedule));
      return simulate(c, catalog, calibration, ws);
    };
    const StepReport plain = step_with("1f1b");
    if (plain.status != Status::ok) continue;
    for (const char* schedule : {"zb-h1", "zb-1p", "zb-2p"}) {
      const StepReport r = step_with(schedule);
      ASSERT_EQ(r.status, Status::ok) << schedule << " seed " << seed;
      ASSERT_EQ(std::accumulate(r.exposed.begin(), r.exposed.end(), SimTime::zero()), r.step)
          << "seed " << seed;
      ++composed;
      // Without tensor ranks the split passes do the same kernels; with them they lose the overlap of the
      // two.
      if (c.degrees.tensor == 1) {
        EXPECT_LE(r.step, plain.step + plain.step / 50) << schedule << " seed " << seed;
      }
    }
  }
  EXPECT_GT(composed, 300);
}

// Without optimizer post-validation all stages wait for the gradient norm: a zero-bubble step then takes
// longer, unless the first stage ends last anyway; other schedules always wait.
TEST(Step, PostValidationSavesZeroBubbleSchedulesTheWaitAtTheGradientNorm) {
  const Catalog catalog = catalog_with_roomy_gpus();
  Workspace ws;
  int longer = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    TrainingConfig c = random_config(seed);
    c.degrees.virtual_stages = 1;
    c.zero = std::min(c.zero, training::ZeroStage::optimizer);
    if (c.degrees.pipeline == 1) continue;
    for (const char* schedule : {"1f1b", "zb-h1", "zb-h2", "zb-1p"}) {
      c.schedule = training::ScheduleId(find_named(timeline::schedule_table(), schedule));
      c.recipe.post_validation = true;
      const StepReport validated_later = simulate(c, catalog, presets().calibration, ws);
      c.recipe.post_validation = false;
      const StepReport waiting = simulate(c, catalog, presets().calibration, ws);
      ASSERT_EQ(validated_later.status, waiting.status) << schedule << " seed " << seed;
      if (waiting.status != Status::ok) continue;
      if (std::string_view(schedule) == "1f1b") {
        ASSERT_EQ(waiting.step, validated_later.step) << "seed " << seed;
      } else {
        ASSERT_GE(waiting.step, validated_later.step) << schedule << " seed " << seed;
        longer += waiting.step > validated_later.step ? 1 : 0;
      }
    }
  }
  EXPECT_GT(longer, 100);
}

TEST(Step, LargerMicrobatchGroupsHoldMoreActivations) {
  const Catalog catalog = catalog_with_roomy_gpus();
  Workspace ws;
  int larger = 0;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    TrainingConfig c = random_config(seed);
    if (c.degrees.virtual_stages == 1) continue;
    c.schedule = training::ScheduleId(find_named(timeline::schedule_table(), "interleaved"));
    const StepReport usual = simulate(c, catalog, presets().calibration, ws);
    c.recipe.microbatch_group = c.degrees.pipeline;
    const StepReport same = simulate(c, catalog, presets().calibration, ws);
    c.recipe.microbatch_group = 2 * c.degrees.pipeline;
    const StepReport twice = simulate(c, catalog, presets().calibration, ws);
    if (usual.status != Status::ok || twice.status != Status::ok) continue;
    ASSERT_EQ(same.step, usual.step) << "seed " << seed;
    ASSERT_GE(twice.memory_peak, usual.memory_peak) << "seed " << seed;
    larger += twice.memory_peak > usual.memory_peak ? 1 : 0;
  }
  EXPECT_GT(larger, 10);
}

TEST(Step, DoesNotDependOnWhatTheWorkspaceDidBefore) {
  Workspace reused;
  for (std::uint64_t seed = 0; seed < seeds; seed += 7) {
    Workspace fresh;
    const StepReport a = simulate(random_config(seed), presets().catalog, presets().calibration, reused);
    const StepReport b = simulate(random_config(seed), presets().catalog, presets().calibration, fresh);
    ASSERT_EQ(a.status, b.status) << "seed " << seed;
    ASSERT_EQ(a.step, b.step) << "seed " << seed;
    ASSERT_EQ(a.exposed, b.exposed) << "seed " << seed;
    ASSERT_EQ(a.memory, b.memory) << "seed " << seed;
  }
}

TEST(Step, WithoutSlowdownTheCounterfactualIsTheStepItself) {
  Calibration calibration = presets().calibration;
  calibration.slowdown = slowdown::NoSlowdown{};
  calibration.contention = Contention::off;
  const Catalog catalog = catalog_with_roomy_gpus();
  Workspace ws;
  for (std::uint64_t seed = 0; seed < seeds; seed += 5) {
    const StepReport r = simulate(random_config(seed), catalog, calibration, ws);
    ASSERT_EQ(r.step, r.step_no_slowdown) << "seed " << seed;
  }
}

TEST(Step, WithoutContentionTheCounterfactualIsTheStepItself) {
  const Catalog catalog = catalog_with_roomy_gpus();
  Calibration off = presets().calibration;
  off.contention = Contention::off;
  Workspace ws;
  int slower = 0, faster = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const StepReport shared = simulate(random_config(seed), catalog, presets().calibration, ws);
    const StepReport alone = simulate(random_config(seed), catalog, off, ws);
    ASSERT_EQ(alone.step, alone.step_no_contention) << "seed " << seed;
    ASSERT_EQ(shared.step_no_contention, alone.step) << "seed " << seed;
    ASSERT_EQ(shared.step_no_slowdown, alone.step_no_slowdown) << "seed " << seed;
    // Shorter only where a delay spares two ops that they meet.
    ASSERT_GE(to_seconds(shared.step), 0.98 * to_seconds(alone.step)) << "seed " << seed;
    slower += shared.step > alone.step, faster += shared.step < alone.step;
  }
  EXPECT_GT(slower, 100);
  EXPECT_LT(faster, slower / 10);
}

// One resource of the machine made better. GPU arithmetic and memory change kernel prices; links change
// collectives.
struct Improvement {
  const char* name;
  void (*apply)(Catalog&);
};
const Improvement improvements[] = {
    {"arithmetic",
     [](Catalog& c) {
       for (auto& gpu : c.gpus)
         for (auto& peak : gpu.peak) peak = peak * 1.3;
     }},
    {"memory bandwidth",
     [](Catalog& c) {
       for (auto& gpu : c.gpus) gpu.memory_bandwidth = gpu.memory_bandwidth * 1.3;
     }},
    {"scale-up bandwidth",
     [](Catalog& c) {
       for (auto& cluster : c.clusters) cluster.scale_up.bandwidth = cluster.scale_up.bandwidth * 1.5;
     }},
    {"scale-out bandwidth",
     [](Catalog& c) {
       for (auto& cluster : c.clusters) cluster.scale_out.bandwidth = cluster.scale_out.bandwidth * 1.5;
     }},
    {"latency",
     [](Catalog& c) {
       for (auto& cluster : c.clusters) {
         cluster.scale_up.latency /= 2;
         cluster.scale_out.latency /= 2;
       }
     }},
};
class BetterMachine : public ::testing::TestWithParam<Improvement> {};

// Calls check(before, after, seed) with the steps of random configs on a catalog and on a better one:
// algorithm, protocol and channels pinned, slowdown off.
template <class Check>
void with_pinned_selection(const Catalog& before, const Improvement& improvement, const Check& check) {
  Catalog after = before;
  improvement.apply(after);
  Calibration calibration = presets().calibration;
  calibration.slowdown = slowdown::NoSlowdown{};
  calibration.contention = Contention::off;
  Workspace ws_before, ws_after;
  int compared = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    TrainingConfig c = random_config(seed);
    c.recipe.nccl_algo = ops::NcclAlgorithm::ring;
    c.recipe.nccl_proto = ops::NcclProtocol::simple;
    c.recipe.nccl_min_nchannels = c.recipe.nccl_max_nchannels = 8;
    const StepReport a = simulate(c, before, calibration, ws_before),
                     b = simulate(c, after, calibration, ws_after);
    if (a.status != Status::ok) continue;
    ++compared;
    check(a.step, b.step, seed);
    if (::testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(compared, 500);
}

TEST_P(BetterMachine, NeverLengthensAStepWhoseSelectionIsPinned) {
  with_pinned_selection(support::catalog_with_quick_hosts(), GetParam(),
                        [](SimTime before, SimTime after, std::uint64_t seed) {
                          // Each op rounds to the picosecond once: a step of n ops may differ by n ps.
                          ASSERT_LE(after, before + SimTime(100'000)) << "seed " << seed;
                        });
}

// Where a host binds, a shorter pass leaves the next one a shorter lead, also in the fill of a pipeline,
// where that next one does not follow it (compose_chunks.cpp): a hundredth of a step at most.
TEST_P(BetterMachine, LengthensAStepThatTheHostBindsByLittle) {
  with_pinned_selection(catalog_with_roomy_gpus(), GetParam(),
                        [](SimTime before, SimTime after, std::uint64_t seed) {
                          ASSERT_LE(to_seconds(after), 1.01 * to_seconds(before)) << "seed " << seed;
                        });
}

// Selection free: a longer step needs a collective whose choice switched.
TEST_P(BetterMachine, LengthensAStepOnlyWhereSelectionSwitches) {
  const Catalog before = support::catalog_with_quick_hosts();
  Catalog after = before;
  GetParam().apply(after);
  Calibration calibration = presets().calibration;
  calibration.slowdown = slowdown::NoSlowdown{};
  calibration.contention = Contention::off;
  Workspace ws_before, ws_after;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const TrainingConfig c = random_config(seed);
    const StepReport a = simulate(c, before, calibration, ws_before),
                     b = simulate(c, after, calibration, ws_after);
    if (a.status != Status::ok || b.step <= a.step + SimTime(100'000)) continue;
    bool switched = false;
    const auto compare = [&](const ops::CollectiveEstimate& x, const ops::CollectiveEstimate& y) {
      switched =
          switched || x.algorithm != y.algorithm || x.protocol != y.protocol || x.channels != y.channels;
    };
    for (std::size_t i = 0; i < ws_before.step.prices.collectives.size(); ++i)
      compare(ws_before.step.prices.collectives[i], ws_after.step.prices.collectives[i]);
    for (const ops::CollectiveQuery& hop : {ws_before.step.work.hop_within, ws_before.step.work.hop_across})
      compare(price_collective(hop, c, before, calibration, ws_before.memo),
              price_collective(hop, c, after, calibration, ws_after.memo));
    EXPECT_TRUE(switched) << "seed " << seed << ": " << to_seconds(a.step) << " s -> " << to_seconds(b.step)
                          << " s";
  }
}

INSTANTIATE_TEST_SUITE_P(Resources, BetterMachine, ::testing::ValuesIn(improvements),
                         [](const auto& param_info) {
                           std::string name = param_info.param.name;
                           for (char& c : name)
                             if (c == ' ' || c == '-') c = '_';
                           return name;
                         });

// The point of the slowdown model: it changes which layout wins.
TEST(Slowdown, ReversesTheOrderOfSomePairOfLayouts) {
  const Catalog catalog = catalog_with_roomy_gpus();
  Workspace ws;
  std::vector<StepReport> reports;
  for (std::int32_t tensor : {1, 2, 4, 8})
    for (std::int32_t pipeline : {1, 2, 4, 8})
      for (const bool sequence_parallel : {false, true})
        for (const bool overlap : {false, true})
          for (const auto zero : {training::ZeroStage::none, training::ZeroStage::optimizer})
            for (std::int32_t micro : {1, 2, 4}) {
              TrainingConfig c = random_config(0);
              c.model = training::ModelId(support::named(catalog.models, "korthikanti-22b"));
              c.cluster = machine::ClusterId(support::named(catalog.clusters, "dgx-h100-ndr400"));
              c.degrees = {.tensor = tensor, .pipeline = pipeline, .data = 64 / tensor / pipeline};
              c.batch = {.global_samples = 512, .micro_samples = micro, .sequence_tokens = 2048};
              c.schedule = training::ScheduleId(find_named(timeline::schedule_table(), "1f1b"));
              c.sequence_parallel = sequence_parallel && tensor > 1;
              c.overlap.grad_reduce = c.overlap.param_gather = overlap;
              c.zero = zero;
              const StepReport r = simulate(c, catalog, presets().calibration, ws);
              if (r.status == Status::ok) reports.push_back(r);
            }
  int reversed = 0;
  for (const StepReport& a : reports)
    for (const StepReport& b : reports)
      reversed += a.step < b.step && a.step_no_slowdown > b.step_no_slowdown;
  EXPECT_GT(reversed, 0) << "among " << reports.size() << " layouts";
}

}  // namespace
}  // namespace echo::simulate
