// Laws of number formats, over the presets and seeded random configs: what narrower operands save and cost.
#include <gtest/gtest.h>

#include "kernels/price_kernels.hpp"
#include "tests/support/random_config.hpp"

namespace echo::simulate {
namespace {

using machine::Precision;
using ops::KernelKey, ops::KernelKind;
using support::named, support::presets;
using training::Fp8Recipe, training::Status, training::TrainingConfig;

const machine::GpuSpec& gpu_named(const char* name) {
  const auto& gpus = presets().catalog.gpus;
  return gpus.at(static_cast<std::size_t>(named(gpus, name)));
}

SimTime price(const KernelKey& key, const machine::GpuSpec& gpu) {
  const auto& kernels = presets().calibration.kernels;
  const auto at = static_cast<std::size_t>(find_named(kernels, gpu.kernels));
  return kernels::price_kernel(key, gpu, kernels.at(at)).alone;
}

TEST(NumberFormatLaws, NarrowerOperandsNeverMakeALargeProductSlower) {
  for (const machine::GpuSpec& gpu : presets().catalog.gpus)
    for (const std::int32_t side : {4096, 8192, 16384}) {
      SimTime before = SimTime::max();
      for (const Precision precision :
           {Precision::fp32, Precision::tf32, Precision::bf16, Precision::fp8, Precision::nvfp4}) {
        if (gpu.peak_of(precision).value == 0.0) continue;
        const SimTime time =
            price({.kind = KernelKind::gemm, .precision = precision, .m = side, .n = side, .k = side}, gpu);
        EXPECT_LE(time, before) << gpu.name << " side " << side;
        before = time;
      }
    }
}

// A product of `width` with its two casts in 8 bit against the same in 16 bit: the casts cost width^2, the
// product saves width^3, so that small ones lose and large ones win.
TEST(NumberFormatLaws, CastsEatTheGainOfSmallProducts) {
  const machine::GpuSpec& h100 = gpu_named("h100-sxm");
  const auto gain = [&](std::int32_t width) {
    KernelKey product{.kind = KernelKind::gemm, .m = 8192, .n = width, .k = width};
    const SimTime wide = price(product, h100);
    product.precision = Precision::fp8;
    const KernelKey cast{
        .kind = KernelKind::quantize, .precision = Precision::fp8, .m = 8192, .n = width, .groups = 2};
    return wide - price(product, h100) - 2 * price(cast, h100);
  };
  EXPECT_LT(gain(1024), SimTime::zero());
  EXPECT_GT(gain(8192), SimTime::zero());
  int signs = 0;
  for (std::int32_t width = 1024; width < 8192; width += 256)
    signs += (gain(width) < SimTime{}) != (gain(width + 256) < SimTime{});
  EXPECT_EQ(signs, 1);  // one crossover
}

class RecipeLaws : public ::testing::Test {
 protected:
  simulate::Catalog catalog_ = support::catalog_with_roomy_gpus();
  Calibration known_ = presets().calibration;
  Workspace ws_;
  RecipeLaws() {
    known_.slowdown = slowdown::NoSlowdown{};
    known_.contention = simulate::Contention::off;
  }

  // Feasible random configs on Hopper.
  template <class Each>
  int for_each(int seeds, Each each) {
    int feasible = 0;
    for (int seed = 0; seed < seeds; ++seed) {
      TrainingConfig c = support::random_config(static_cast<std::uint64_t>(seed));
      c.cluster = machine::ClusterId(named(catalog_.clusters, "dgx-h100-ndr400"));
      if (simulate(c, catalog_, known_, ws_).status != Status::ok) continue;
      ++feasible;
      SCOPED_TRACE(seed);
      each(c);
    }
    return feasible;
  }
  SimTime step(const TrainingConfig& c) { return simulate(c, catalog_, known_, ws_).step; }
};

// Delayed scales cost a reduction a pass, current ones a pass over every tensor: where passes are long.
TEST_F(RecipeLaws, CurrentScalesNeverCostLessThanDelayedOnes) {
  EXPECT_GT(for_each(250,
                     [&](TrainingConfig c) {
                       c.precision = Precision::fp8;
                       const SimTime delayed = step(c);
                       c.recipe.fp8_recipe = Fp8Recipe::current;
                       const SimTime current = step(c);
                       if (delayed == SimTime::zero()) return;
                       const SimTime agreeing = 2 * training::microbatches_of(c) * c.degrees.virtual_stages *
                                                std::chrono::microseconds(200);
                       EXPECT_GE(current + agreeing, delayed);
                     }),
            80);
}

TEST_F(RecipeLaws, GraphsAreNeverSlower) {
  int graphed = 0;
  for_each(400, [&](TrainingConfig c) {
    const SimTime eager = step(c);
    c.recipe.cuda_graphs = true;
    const StepReport report = simulate(c, catalog_, known_, ws_);
    if (report.status != Status::ok) return;
    ++graphed;
    EXPECT_LE(report.step, eager);
  });
  EXPECT_GT(graphed, 40);
}

// Parts of a layer in graphs leave less to issue, and whole passes in graphs still less.
TEST_F(RecipeLaws, GraphsOfPartsAreNeverSlowerAndGraphsOfPassesNoSlowerStill) {
  int graphed = 0, faster = 0;
  for_each(400, [&](TrainingConfig c) {
    const SimTime eager = step(c);
    c.recipe.cuda_graph_modules = 1;
    const StepReport parts = simulate(c, catalog_, known_, ws_);
    if (parts.status != Status::ok) return;
    ++graphed;
    EXPECT_LE(parts.step, eager);
    faster += parts.step < eager ? 1 : 0;
    c.recipe.cuda_graphs = true;
    const StepReport passes = simulate(c, catalog_, known_, ws_);
    if (passes.status == Status::ok) {
      EXPECT_LE(passes.step, parts.step);
    }
  });
  EXPECT_GT(graphed, 40);
  EXPECT_GT(faster, 5);
}

// Slower processors make no step faster, and those that the host does not bind no slower.
TEST_F(RecipeLaws, SlowerHostsAreNeverFaster) {
  int slower = 0, same = 0;
  for_each(200, [&](TrainingConfig c) {
    const SimTime usual = step(c);
    for (machine::ClusterSpec& cluster : catalog_.clusters) cluster.host_time_factor *= 2.0;
    ws_ = Workspace();
    const SimTime slow = step(c);
    for (machine::ClusterSpec& cluster : catalog_.clusters) cluster.host_time_factor /= 2.0;
    ws_ = Workspace();
    EXPECT_GE(slow, usual);
    ++(slow > usual ? slower : same);
  });
  EXPECT_GT(slower, 5);
  EXPECT_GT(same, 5);
}

TEST_F(RecipeLaws, SmallerOptimizersAndNoClippingAreNeverSlower) {
  for_each(150, [&](TrainingConfig c) {
    const SimTime adam = step(c);
    for (const auto optimizer :
         {training::Optimizer::adam_bf16, training::Optimizer::adam_8bit, training::Optimizer::sgd}) {
      c.recipe.optimizer = optimizer;
      EXPECT_LT(step(c), adam);
    }
    c.recipe.optimizer = training::Optimizer::adam;
    c.recipe.grad_clip = false;
    EXPECT_LT(step(c), adam);
  });
}

// GPT-3 125M, one sequence per GPU, at the pace measured of Megatron-DeepSpeed: 60 us a kernel.
TEST_F(RecipeLaws, ASmallModelOnManyNodesIsBoundByTheHostAndGraphsMendIt) {
  TrainingConfig c;
  c.model = training::ModelId(named(catalog_.models, "gpt3-125m"));
  c.cluster = machine::ClusterId(named(catalog_.clusters, "dgx-h100-ndr400"));
  c.framework = training::FrameworkId(named(catalog_.frameworks, "megatron-deepspeed"));
  c.recipe = catalog_.framework(c).recipe;
  c.schedule = training::ScheduleId(find_named(timeline::schedule_table(), "1f1b"));
  c.degrees = {.data = 256};
  c.batch = {.global_samples = 256 * 16, .micro_samples = 1, .sequence_tokens = 2048};
  const auto waiting = [&](const StepReport& r) {
    return r.exposed[static_cast<std::size_t>(TimeCategory::other)] - catalog_.framework(c).host_per_step;
  };
  const StepReport eager = simulate(c, catalog_, known_, ws_);
  ASSERT_EQ(eager.status, Status::ok);
  EXPECT_GT(waiting(eager), eager.step / 10);
  c.recipe.cuda_graphs = true;
  const StepReport graphed = simulate(c, catalog_, known_, ws_);
  EXPECT_LT(graphed.step, eager.step - waiting(eager) / 2);
  EXPECT_LT(waiting(graphed), waiting(eager) / 10);
  // A large model has nothing to mend.
  c.model = training::ModelId(named(catalog_.models, "gpt3-6.7b"));
  EXPECT_LT(waiting(simulate(c, catalog_, known_, ws_)), SimTime(std::chrono::milliseconds(1)));
}

}  // namespace
}  // namespace echo::simulate
