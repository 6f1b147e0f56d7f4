// Laws of offloading and of frozen models over seeded random configs; slowdown off, host out of the way.
#include <gtest/gtest.h>

#include <numeric>

#include "simulate/prices/price_host.hpp"
#include "tests/support/random_config.hpp"

namespace echo::simulate {
namespace {

using training::TrainingConfig;
using training::ZeroStage;

class OffloadLaws : public ::testing::Test {
 protected:
  Catalog catalog_ = support::catalog_with_roomy_gpus();
  Calibration known_ = support::presets().calibration;
  Workspace ws_;

  OffloadLaws() {
    known_.slowdown = slowdown::NoSlowdown{};
    known_.contention = Contention::off;
    for (training::FrameworkSpec& f : catalog_.frameworks) f.host_per_kernel = SimTime::zero();
  }
  StepReport run(const TrainingConfig& c) {
    Workspace fresh;  // prices of another catalog are no answer
    const StepReport report = simulate(c, catalog_, known_, fresh);
    std::swap(ws_, fresh);
    return report;
  }
  void set_host_link(double rate) {
    for (machine::GpuSpec& gpu : catalog_.gpus) gpu.host_link = BytesPerSecond(rate);
    for (machine::ClusterSpec& c : catalog_.clusters) c.host_memory = BytesPerSecond(1e3 * rate);
  }
  template <class Each>
  int for_each(Each each) {
    int feasible = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      TrainingConfig c = support::random_config(seed);
      c.recipe.overlap_ep = false;  // whose passes offload nothing
      if (!each(c, seed)) continue;
      ++feasible;
    }
    return feasible;
  }
};

TEST_F(OffloadLaws, ActivationsThatLeaveCostNothingOverAFastLinkAndTheLinksTimeOverASlowOne) {
  EXPECT_GT(for_each([&](TrainingConfig c, std::uint64_t seed) {
              c.degrees.pipeline = c.degrees.virtual_stages = 1;
              c.schedule = training::ScheduleId(find_named(timeline::schedule_table(), "1f1b"));
              c.recompute = training::Recompute::none;
              const StepReport stay = run(c);
              if (stay.status != training::Status::ok) return false;
              const training::ModelSpec& m = catalog_.model(c.model);
              const std::int64_t n = training::microbatches_of(c);
              for (const std::int32_t layers : {1, m.layers / 2, m.layers - 1}) {
                c.recipe.offload_layers = layers;
                set_host_link(1e18);
                const StepReport fast = run(c);
                EXPECT_EQ(fast.status, training::Status::ok);
                EXPECT_GE(fast.step, stay.step) << seed;
                // Each copy still takes its start.
                EXPECT_LE(fast.step, stay.step + n * 2 * layers * from_microseconds(10)) << seed;
                set_host_link(1e9);
                const StepReport slow = run(c);
                EXPECT_GE(slow.step, fast.step) << seed;
                std::int64_t bytes = 0;
                for (const ops::CollectiveQuery& query : ws_.step.work.collectives)
                  if (query.kind == ops::CollectiveKind::host_copy)
                    bytes = std::max(bytes, query.payload.value);
                if (!m.has_experts()) {
                  EXPECT_GE(to_seconds(slow.step), static_cast<double>(n * 2 * layers * bytes) / 1e9) << seed;
                }
                EXPECT_EQ(std::accumulate(slow.exposed.begin(), slow.exposed.end(), SimTime::zero()),
                          slow.step);
              }
              return true;
            }),
            60);
}

TEST_F(OffloadLaws, AnOptimizerOnTheHostIsNeverFasterWithASlowerHost) {
  EXPECT_GT(for_each([&](TrainingConfig c, std::uint64_t seed) {
              c.zero = std::max(c.zero, ZeroStage::optimizer);
              c.recipe.offload_optimizer = true;
              SimTime before{};
              for (const double rate : {1e12, 64e9, 8e9}) {
                set_host_link(rate);
                const StepReport report = run(c);
                if (report.status != training::Status::ok) return false;
                EXPECT_GT(report.step, before) << seed;
                EXPECT_EQ(std::accumulate(report.exposed.begin(), report.exposed.end(), SimTime::zero()),
                          report.step)
                    << seed;
                before = report.step;
              }
              return true;
            }),
            60);
}

TEST_F(OffloadLaws, AFrozenModelStepsFasterAndItsUtilisationStaysBelowOne) {
  EXPECT_GT(for_each([&](TrainingConfig c, std::uint64_t seed) {
              c.batch.sequence_tokens = 8192;
              const StepReport trained = run(c);
              c.recipe.lora_rank = 16;
              const StepReport frozen = run(c);
              if (frozen.status != training::Status::ok) return false;
              // Adapters under tensor parallelism exchange more than the weight gradients they save cost.
              if (c.degrees.tensor == 1) {
                EXPECT_LT(frozen.step, trained.step) << seed;
              }
              EXPECT_LT(frozen.memory_peak, trained.memory_peak) << seed;
              EXPECT_LT(frozen.mfu, 1.0) << seed;
              c.recipe.lora_rank = 64;
              EXPECT_GT(run(c).step, frozen.step) << seed;
              return true;
            }),
            60);
}

TEST(HostPrices, ACopyTakesItsBytesOverTheSlowerOfLinkAndMemory) {
  machine::GpuSpec gpu{.host_link = BytesPerSecond(100e9)};
  machine::ClusterSpec cluster{.gpus_per_node = 8, .host_memory = BytesPerSecond(8 * 200e9)};
  const ops::CollectiveQuery copy{.kind = ops::CollectiveKind::host_copy, .payload = Bytes(82'000'000'000)};
  EXPECT_EQ(price_host(copy, gpu, cluster).time, from_seconds(1.0) + from_microseconds(10));
  cluster.host_memory = BytesPerSecond(8 * 41e9);
  EXPECT_EQ(price_host(copy, gpu, cluster).time, from_seconds(2.0) + from_microseconds(10));
  const ops::CollectiveQuery update{.kind = ops::CollectiveKind::host_update,
                                    .payload = Bytes(41'000'000'000)};
  EXPECT_EQ(price_host(update, gpu, cluster).time, from_seconds(1.0 / 0.53));
}

}  // namespace
}  // namespace echo::simulate
