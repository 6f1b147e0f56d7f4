// A trace in the place of a model: its steps on other machines, sizes and settings.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "base/contract.hpp"
#include "base/named_table.hpp"
#include "simulate/prices/price_work.hpp"
#include "simulate/replay/replay_scratch.hpp"
#include "simulate/replay/replay_step.hpp"
#include "tests/support/random_config.hpp"
#include "tests/support/random_traced_step.hpp"
#include "tests/support/sample_trace.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/traced_step.hpp"
#include "training/layout/rank_layout.hpp"

namespace echo::simulate {
namespace {

using support::Traced;
using training::Status;
using training::TrainingConfig;

SimTime sum(const std::array<SimTime, time_category_count>& parts) {
  return std::accumulate(parts.begin(), parts.end(), SimTime::zero());
}

TEST(TracedStep, SplitsItsTimeExactly) {
  Traced traced(support::data_parallel_trace(8));
  const StepReport report = traced.run();
  ASSERT_EQ(report.status, Status::ok);
  EXPECT_EQ(sum(report.exposed), report.step);
  EXPECT_EQ(sum(report.path), report.step);
  EXPECT_NEAR(std::accumulate(report.bottleneck.begin(), report.bottleneck.end(), 0.0), 1.0, 1e-9);
  EXPECT_GE(report.step, report.step_no_slowdown);
  EXPECT_GT(report.rel_error, 0.0F);
  EXPECT_TRUE(std::isnan(report.tokens_per_second));
  EXPECT_GT(report.mfu, 0.1);
  EXPECT_LT(report.mfu, 1.0);
  EXPECT_EQ(report.memory_peak.value, 0);
}

TEST(TracedStep, TakesMeasuredTimesOnTheGpuTheyWereMeasuredOn) {
  Traced traced(support::data_parallel_trace(1, SimTime(1'000'000'000), false, "h100-sxm"));
  const StepReport report = traced.run();
  EXPECT_EQ(report.step, SimTime(9'000'000'000));  // one rank: nothing to reduce
  EXPECT_EQ(report.evidence, ops::Grade::measured);
  EXPECT_DOUBLE_EQ(report.measured_share, 1.0);
}

TEST(TracedStep, PricesKnownShapesOnOtherGpus) {
  Traced traced(support::data_parallel_trace(1, SimTime(1'000'000'000), false, "a100-sxm-80gb"));
  Traced untimed(support::data_parallel_trace(1));
  const SimTime priced = traced.run().step;
  EXPECT_LT(priced, SimTime(9'000'000'000));
  EXPECT_LT(priced, untimed.run().step);  // which has the gaps between kernels too
  traced.gpu("b200-sxm");
  EXPECT_LT(traced.run().step, priced);
}

TEST(TracedStep, ScalesKernelsOfUnknownShapeByTheirRoofline) {
  support::TraceMaker maker(1, "a100-sxm-80gb");
  maker.rank(0);
  maker.add({.kind = trace::NodeKind::compute, .duration = SimTime(1'000'000), .bytes = 1_GiB});
  Traced traced(maker.made());
  const auto bandwidth = [&](const char* gpu) {
    return traced.catalog.gpus[static_cast<std::size_t>(find_named(traced.catalog.gpus, gpu))]
        .memory_bandwidth.value;
  };
  const StepReport report = traced.run();
  EXPECT_EQ(report.step, scaled(SimTime(1'000'000), bandwidth("a100-sxm-80gb") / bandwidth("h100-sxm")));
  EXPECT_EQ(report.evidence, ops::Grade::extrapolated);
  EXPECT_TRUE(std::isnan(report.mfu));
}

TEST(TraceRanks, ThatStraddleNodesShareTheirLinksWithTheirOwnBlockAlone) {
  support::TraceMaker maker(24);
  maker.group("dp", trace::GroupRole::data, {6, 7, 8});
  maker.group("every other", trace::GroupRole::tensor, {6, 8, 10});
  maker.rank(6);
  const trace::Trace trace = maker.made();
  const TraceShape shape = shape_of(trace);
  const Catalog& catalog = support::presets().catalog;
  TrainingConfig config;
  config.degrees = shape.degrees;
  const TraceRanks ranks(
      trace, shape, config,
      catalog.clusters[static_cast<std::size_t>(find_named(catalog.clusters, "dgx-h100-ndr400"))]);
  EXPECT_EQ(ranks.span(0).nodes, 2);
  EXPECT_EQ(ranks.span(0).sharing, 1);
  EXPECT_EQ(ranks.span(1).sharing, 2);
}

TEST(TracedStep, OfStagesWaitsForWhatTheySend) {
  Traced traced(support::staged_trace(2, 4, 3));
  const StepReport report = traced.run();
  ASSERT_EQ(report.status, Status::ok);
  EXPECT_EQ(sum(report.exposed), report.step);
  EXPECT_GT(report.exposed[static_cast<std::size_t>(TimeCategory::bubble)], SimTime::zero());
  EXPECT_GT(report.path[static_cast<std::size_t>(TimeCategory::pp_comm)], SimTime::zero());
}

TEST(TracedStep, SaysWhichRanksCallDifferentCollectives) {
  support::TraceMaker maker(2);
  const std::int32_t dp = maker.group("dp", trace::GroupRole::data, {0, 1});
  maker.rank(0);
  maker.add({.kind = trace::NodeKind::collective, .group = dp, .bytes = 8_MiB});
  maker.rank(1);
  maker.add({.kind = trace::NodeKind::collective,
             .collective = ops::CollectiveKind::all_gather,
             .group = dp,
             .bytes = 8_MiB});
  EXPECT_EQ(why_not_replayable(maker.made()),
            "collective 1 of group \"dp\" is all_reduce (node 0) on gpu rank 0 and all_gather (node 0) on "
            "gpu rank 1");
  Traced traced(maker.made());
  EXPECT_THROW((void)traced.run(), ContractViolation);
}

TEST(TracedStep, SaysWhichOpsWaitForEachOther) {
  support::TraceMaker maker(2);
  const std::int32_t a = maker.group("a", trace::GroupRole::data, {0, 1}),
                     b = maker.group("b", trace::GroupRole::tensor, {0, 1});
  const auto call = [&](std::int32_t group) {
    maker.add({.kind = trace::NodeKind::collective, .group = group, .bytes = 8_MiB});
  };
  maker.rank(0), call(a), call(b);
  maker.rank(1), call(b), call(a);
  EXPECT_EQ(why_not_replayable(maker.made()),
            "deadlock, ops wait for each other: gpu rank 0: node 0 (all_reduce of a); gpu rank 1: node 0 "
            "(all_reduce "
            "of b)");
}

// Whatever a trace holds, and wherever it runs.
TEST(TracedStep, ObeysTheLawsOfSteps) {
  std::int32_t grown = 0, slowed = 0;
  for (std::uint64_t i = 0; i < (support::is_sanitized ? 150 : 400); ++i) {
    const support::RandomTracedStep random(i);
    ASSERT_EQ(trace::why_unsound(random.made), "") << random.describe();
    ASSERT_EQ(why_not_replayable(random.made), "") << random.describe();
    Traced traced(random.made);
    support::Draws draws(i);
    traced.config.cluster =
        machine::ClusterId(draws.below(static_cast<std::int32_t>(traced.catalog.clusters.size())));
    traced.config.fabric.placement = static_cast<machine::Placement>(draws.below(3));
    traced.config.degrees.data *= draws.one_of({1, 1, 2, 8});
    const StepReport report = traced.run({.sigma = 0.02, .draws = draws.one_of({0, 3}), .seed = i});
    if (report.status != Status::ok) {
      ASSERT_TRUE(why_unsupported(traced.config, traced.catalog)) << random.describe();
      continue;
    }
    ASSERT_EQ(sum(report.exposed), report.step) << random.describe();
    ASSERT_EQ(sum(report.path), report.step) << random.describe();
    for (const SimTime part : report.exposed) ASSERT_GE(part, SimTime::zero()) << random.describe();
    for (const SimTime part : report.path) ASSERT_GE(part, SimTime::zero()) << random.describe();
    for (const double bottleneck : report.bottleneck) ASSERT_GE(bottleneck, -1e-6) << random.describe();
    ASSERT_TRUE(std::isnan(report.mfu) || (report.mfu > 0.0 && report.mfu <= 1.0)) << random.describe();
    ASSERT_TRUE(std::isfinite(report.rel_error)) << random.describe();
    grown += growth_of(traced.ws.trace->shape, traced.config.degrees) > 1.0;
    slowed += report.step > report.step_no_slowdown;
    const StepReport again =
        traced.run({.sigma = 0.02, .draws = report.step_median > SimTime::zero() ? 3 : 0, .seed = i});
    ASSERT_EQ(again.step, report.step) << random.describe();  // nothing is left over
    ASSERT_EQ(again.exposed, report.exposed) << random.describe();
    ASSERT_EQ(again.bottleneck, report.bottleneck) << random.describe();
    ASSERT_EQ(again.step_p90, report.step_p90) << random.describe();
  }
  EXPECT_GT(grown, 10);
  EXPECT_GT(slowed, 15);
}

TEST(TracedStep, OfUnequalGpusTakesLonger) {
  Traced traced(support::data_parallel_trace(8));
  const StepReport even = traced.run();
  const StepReport report = traced.run({.sigma = 0.05, .draws = 32, .seed = 7});
  EXPECT_GT(report.step_median, even.step);
  EXPECT_GE(report.step_p90, report.step_median);
  EXPECT_EQ(report.step, even.step);
  const StepReport same = traced.run({.sigma = 0.0, .draws = 4, .seed = 7});
  EXPECT_EQ(same.step_median, even.step);
}

TEST(TracedStep, DependsOnWhatItsSensitivitiesSay) {
  Traced traced(support::data_parallel_trace(64));
  const StepReport report = traced.run();
  auto& cluster = traced.catalog.clusters[static_cast<std::size_t>(traced.config.cluster.index())];
  cluster.scale_out.bandwidth.value *= 1.01;
  traced.ws = Workspace();
  const double moved = std::log(to_seconds(traced.run().step) / to_seconds(report.step)) / std::log(1.01);
  EXPECT_NEAR(moved, -report.bottleneck[static_cast<std::size_t>(Bottleneck::scale_out)], 0.05);
  EXPECT_LT(moved, -0.1);
}

TEST(TracedStep, CountsTokensOfTheGrownJob) {
  Traced traced(support::data_parallel_trace(8));
  traced.config.degrees.data = 16;
  traced.config.batch = batch_of_trace(4096.0, 2);
  const StepReport report = traced.run();
  EXPECT_DOUBLE_EQ(report.tokens_per_second, 8192.0 / to_seconds(report.step));
}

TEST(TracedStep, TakesGapsOfTheHost) {
  support::TraceMaker maker(1, "h100-sxm");
  maker.rank(0);
  for (int i = 0; i < 5; ++i)
    maker.add({.pass = trace::Pass::forward, .duration = SimTime(1000), .gap = SimTime(5000)});
  Traced traced(maker.made());
  const StepReport report = traced.run();
  EXPECT_EQ(report.step, SimTime(26'000));
  EXPECT_EQ(report.exposed[static_cast<std::size_t>(TimeCategory::other)], SimTime(21'000));
  EXPECT_NEAR(report.bottleneck[static_cast<std::size_t>(Bottleneck::host)], 25.0 / 26.0, 1e-12);
}

}  // namespace
}  // namespace echo::simulate
