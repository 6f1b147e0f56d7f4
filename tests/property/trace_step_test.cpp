// A trace in the place of a model: its steps on other machines, sizes and settings.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "base/contract.hpp"
#include "base/named_table.hpp"
#include "simulate/price_work.hpp"
#include "simulate/simulate_trace.hpp"
#include "simulate/trace_scratch.hpp"
#include "tests/support/random_config.hpp"
#include "tests/support/random_traced_step.hpp"
#include "tests/support/sample_trace.hpp"
#include "tests/support/sanitized.hpp"
#include "training/rank_layout.hpp"

namespace echo::simulate {
namespace {

using training::Status;
using training::TrainingConfig;

struct Traced {
  explicit Traced(trace::Trace trace) : catalog(support::presets().catalog) {
    EXPECT_EQ(trace::why_unsound(trace), "");
    catalog.traces.push_back(std::move(trace));
    catalog.models.push_back({.name = "traced", .trace = training::TraceId(0)});
    const TraceShape shape = shape_of(catalog.traces[0]);
    config.model = training::ModelId(static_cast<std::int32_t>(catalog.models.size()) - 1);
    config.cluster = machine::ClusterId(find_named(catalog.clusters, "dgx-h100-ndr400"));
    config.framework = training::FrameworkId(find_named(catalog.frameworks, "megatron-core"));
    config.degrees = shape.degrees;
    config.batch = batch_of_trace(0.0, 1);
  }
  [[nodiscard]] StepReport run(const Skew& skew = {}) {
    return simulate(config, catalog, support::presets().calibration, ws, 0, skew);
  }
  void gpu(const char* name) { config.gpu = machine::GpuId(find_named(catalog.gpus, name)); }
  Catalog catalog;
  TrainingConfig config;
  Workspace ws;
};

SimTime sum(const std::array<SimTime, part_count>& parts) {
  return std::accumulate(parts.begin(), parts.end(), SimTime::zero());
}

TEST(TracedStep, SplitsItsTimeExactly) {
  Traced traced(support::data_parallel_trace(8));
  const StepReport report = traced.run();
  ASSERT_EQ(report.status, Status::ok);
  EXPECT_EQ(sum(report.exposed), report.step);
  EXPECT_EQ(sum(report.path), report.step);
  EXPECT_NEAR(std::accumulate(report.driver.begin(), report.driver.end(), 0.0), 1.0, 1e-9);
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
  traced.gpu("h200-sxm");
  EXPECT_LE(traced.run().step, priced);
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

TEST(TracedStep, GrowsWithTheDataDegree) {
  Traced traced(support::data_parallel_trace(8));
  const SimTime eight = traced.run().step;
  traced.config.degrees.data = 64;
  const StepReport report = traced.run();
  ASSERT_EQ(report.status, Status::ok);
  EXPECT_GT(report.step, eight);
  // All-reduces of 64 ranks on 8 nodes, priced as the generator's would be.
  const auto& price = traced.ws.prices.collectives.at(0);
  const ops::CollectiveQuery query{
      .kind = ops::CollectiveKind::all_reduce, .payload = 32_MiB, .group = training::span_of(64, 1, 8, 64)};
  EXPECT_EQ(price.time, price_collective(query, traced.config, traced.catalog, support::presets().calibration,
                                         traced.ws.memo)
                            .time);
}

TEST(TracedStep, IsThatOfTheDegreeItWasTracedAt) {
  for (const bool sharded : {false, true}) {
    for (const std::int32_t degree : {2, 8, 12, 16, 64, 96}) {
      Traced there(support::data_parallel_trace(degree, SimTime(-1), sharded));
      const StepReport expected = there.run();
      for (const std::int32_t from : {8, 64}) {
        Traced traced(support::data_parallel_trace(from, SimTime(-1), sharded));
        traced.config.degrees.data = degree;
        const StepReport report = traced.run();
        ASSERT_EQ(report.status, Status::ok) << from << " to " << degree;
        // The update of a shard is known of the traced degree alone, and takes its share.
        if (!sharded) {
          EXPECT_EQ(report.step, expected.step) << from << " to " << degree;
        }
        EXPECT_EQ(traced.ws.prices.collectives, there.ws.prices.collectives) << from << " to " << degree;
      }
    }
  }
}

TEST(TracedStep, HasAMultipleOfItsDegreeWhereGroupsTakeAPartOfTheRanks) {
  trace::Trace parts = support::data_parallel_trace(8);
  parts.groups.push_back({"even", trace::GroupRole::expert, {0, 2, 4, 6}});
  Traced traced(parts);
  traced.config.degrees.data = 16;
  EXPECT_EQ(traced.run().status, Status::ok);
  traced.config.degrees.data = 12;
  EXPECT_EQ(traced.run().reason, training::Reason::unsupported);
  EXPECT_NE(why_unsupported(traced.config, traced.catalog).find("multiple"), std::string_view::npos);
}

TEST(TracedStep, SplitsTheUpdateWhereStatesAreSharded) {
  Traced traced(support::data_parallel_trace(8, SimTime(-1), true));
  const auto update = [&] {
    (void)traced.run();
    return traced.ws.trace->alone[12];
  };
  const SimTime before = update();
  traced.config.degrees.data = 32;
  EXPECT_EQ(update(), scaled(before, 0.25));
  EXPECT_EQ(traced.ws.trace->queries[1].payload, 128_MiB);  // the whole, gathered
  EXPECT_EQ(traced.ws.trace->queries[1].group.ranks, 32);
}

TEST(TracedStep, DoesNotGrowWithoutADataGroup) {
  support::TraceMaker maker(4);
  const std::int32_t tp = maker.group("tp", trace::GroupRole::tensor, {0, 1, 2, 3});
  maker.rank(0, {0, 1, 2, 3});
  maker.add({.kind = trace::NodeKind::collective, .group = tp, .bytes = 8_MiB});
  Traced traced(maker.made());
  EXPECT_EQ(traced.config.degrees.tensor, 4);
  EXPECT_EQ(traced.run().status, Status::ok);
  traced.config.degrees.data = 2;
  EXPECT_EQ(traced.run().status, Status::infeasible);
  EXPECT_NE(why_unsupported(traced.config, traced.catalog).find("data_groups"), std::string_view::npos);
}

// Megatron's order: tensor ranks next to each other, then data, then stages.
trace::Trace staged_trace(std::int32_t tensor, std::int32_t data, std::int32_t stages) {
  const std::int32_t world = tensor * data * stages, stage = tensor * data;
  support::TraceMaker maker(world);
  std::vector<std::int32_t> tp, dp;
  for (std::int32_t s = 0; s < stages; ++s) {
    std::vector<std::int32_t> ranks;
    for (std::int32_t i = 0; i < tensor; ++i) ranks.push_back(s * stage + i);
    tp.push_back(maker.group("tp" + std::to_string(s), trace::GroupRole::tensor, ranks));
    ranks.clear();
    for (std::int32_t i = 0; i < data; ++i) ranks.push_back(s * stage + i * tensor);
    dp.push_back(maker.group("dp" + std::to_string(s), trace::GroupRole::data, ranks));
  }
  const std::int32_t gemm = maker.kernel(support::sample_gemm());
  for (std::int32_t s = 0; s < stages; ++s) {
    const auto index = static_cast<std::size_t>(s);
    std::vector<std::int32_t> alike;
    for (std::int32_t i = 0; i < stage; ++i) alike.push_back(s * stage + i);
    maker.rank(s * stage, alike);
    std::vector<std::int32_t> needs;
    if (s > 0)
      needs.push_back(
          maker.add({.kind = trace::NodeKind::recv, .stream = 2, .peer = (s - 1) * stage, .bytes = 16_MiB}));
    const std::int32_t computed = maker.add({.pass = trace::Pass::forward, .kernel = gemm}, needs);
    const std::int32_t reduced = maker.add(
        {.kind = trace::NodeKind::collective, .stream = 1, .group = tp[index], .bytes = 32_MiB}, {computed});
    if (s + 1 < stages)
      maker.add({.kind = trace::NodeKind::send, .stream = 2, .peer = (s + 1) * stage, .bytes = 16_MiB},
                {reduced});
    maker.add({.kind = trace::NodeKind::collective, .stream = 3, .group = dp[index], .bytes = 64_MiB},
              {reduced});
  }
  return maker.made();
}

TEST(TraceShape, ReadsMegatronsGrid) {
  const TraceShape shape = shape_of(staged_trace(2, 4, 3));
  EXPECT_EQ(shape.degrees, (training::Degrees{.tensor = 2, .pipeline = 3, .data = 4}));
  EXPECT_EQ(shape.stride, 2);
  EXPECT_EQ(shape.size, 4);
  EXPECT_FALSE(shape.splits_states);
}

TEST(TraceShape, TakesTheDataGroupAcrossContextRanks) {
  support::TraceMaker maker(16);
  maker.group("cp", trace::GroupRole::context, {0, 1});
  maker.group("dp_cp", trace::GroupRole::data, {0, 1, 2, 3, 4, 5, 6, 7});
  maker.group("dp", trace::GroupRole::data, {0, 2, 4, 6});
  maker.group("pp", trace::GroupRole::pipeline, {0, 8});
  maker.group("all", trace::GroupRole::unknown, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15});
  maker.rank(0);
  const TraceShape shape = shape_of(maker.made());
  EXPECT_EQ(shape.degrees, (training::Degrees{.pipeline = 2, .data = 4, .context = 2}));
  EXPECT_EQ(shape.stride, 2);
  EXPECT_EQ(shape.grows, (std::vector<std::uint8_t>{0, 1, 1, 0, 1}));
}

TEST(TraceShape, OfShardsWithinReplicasGrowsTheReplicas) {
  support::TraceMaker maker(16);
  maker.group("shard", trace::GroupRole::shard, {0, 1, 2, 3, 4, 5, 6, 7});
  maker.group("replica", trace::GroupRole::data, {0, 8});
  maker.rank(0);
  const TraceShape shape = shape_of(maker.made());
  EXPECT_EQ(shape.degrees.data, 16);
  EXPECT_EQ(shape.grows, (std::vector<std::uint8_t>{0, 1}));
  EXPECT_EQ(shape.stride, 8);
  EXPECT_FALSE(shape.splits_states);
}

// Groups of the grown job are those that the generator lays out, where nodes hold whole groups: it takes
// every group of a kind to be like the first one; a traced one is looked at by itself.
TEST(TraceRanks, HaveTheGeneratorsGroupsWhateverTheGrowth) {
  const Catalog& catalog = support::presets().catalog;
  TrainingConfig config;
  config.model = training::ModelId(find_named(catalog.models, "gpt3-175b"));
  for (const char* name : {"dgx-h100-ndr400", "azure-nd-a100-v4"}) {
    config.cluster = machine::ClusterId(find_named(catalog.clusters, name));
    const machine::ClusterSpec& cluster = catalog.cluster(config.cluster);
    for (const std::int32_t tensor : {1, 2, 4, 8}) {
      for (const std::int32_t data : {2, 4, 8}) {
        const trace::Trace trace = staged_trace(tensor, data, 3);
        const TraceShape shape = shape_of(trace);
        for (const std::int32_t growth : {1, 2, 8}) {
          config.degrees = shape.degrees;
          config.degrees.data *= growth;
          const TraceRanks ranks(trace, shape, config, cluster);
          training::RankLayout layout;
          training::lay_out_ranks(config, catalog.model(config.model), cluster, {}, layout);
          for (std::int32_t stage = 0; stage < 3; ++stage) {
            EXPECT_EQ(ranks.span(2 * stage), layout.tensor) << name << tensor << data << growth;
            EXPECT_EQ(ranks.span(2 * stage + 1), layout.data) << name << tensor << data << growth;
          }
          EXPECT_EQ(ranks.place(tensor * data, 0), tensor * data * growth);
        }
      }
    }
  }
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
  Traced traced(staged_trace(2, 4, 3));
  const StepReport report = traced.run();
  ASSERT_EQ(report.status, Status::ok);
  EXPECT_EQ(sum(report.exposed), report.step);
  EXPECT_GT(report.exposed[static_cast<std::size_t>(Part::bubble)], SimTime::zero());
  EXPECT_GT(report.path[static_cast<std::size_t>(Part::pp_comm)], SimTime::zero());
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
            "ops wait for each other for ever: gpu rank 0: node 0 (all_reduce of a); gpu rank 1: node 0 "
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
    traced.config.recipe.placement = static_cast<machine::Placement>(draws.below(3));
    traced.config.degrees.data *= draws.one_of({1, 1, 2, 8});
    const StepReport report = traced.run({.sigma = 0.02, .draws = draws.one_of({0, 3}), .seed = i});
    if (report.status != Status::ok) {
      ASSERT_NE(why_unsupported(traced.config, traced.catalog), "") << random.describe();
      continue;
    }
    ASSERT_EQ(sum(report.exposed), report.step) << random.describe();
    ASSERT_EQ(sum(report.path), report.step) << random.describe();
    for (const SimTime part : report.exposed) ASSERT_GE(part, SimTime::zero()) << random.describe();
    for (const SimTime part : report.path) ASSERT_GE(part, SimTime::zero()) << random.describe();
    for (const double driver : report.driver) ASSERT_GE(driver, -1e-6) << random.describe();
    ASSERT_TRUE(std::isnan(report.mfu) || (report.mfu > 0.0 && report.mfu <= 1.0)) << random.describe();
    ASSERT_TRUE(std::isfinite(report.rel_error)) << random.describe();
    grown += growth_of(traced.ws.trace->shape, traced.config.degrees) > 1.0;
    slowed += report.step > report.step_no_slowdown;
    const StepReport again =
        traced.run({.sigma = 0.02, .draws = report.step_median > SimTime::zero() ? 3 : 0, .seed = i});
    ASSERT_EQ(again.step, report.step) << random.describe();  // nothing is left over
    ASSERT_EQ(again.exposed, report.exposed) << random.describe();
    ASSERT_EQ(again.driver, report.driver) << random.describe();
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

TEST(TracedStep, HangsOnWhatItsSensitivitiesSay) {
  Traced traced(support::data_parallel_trace(64));
  const StepReport report = traced.run();
  auto& cluster = traced.catalog.clusters[static_cast<std::size_t>(traced.config.cluster.index())];
  cluster.scale_out.bandwidth.value *= 1.01;
  traced.ws = Workspace();
  const double moved = std::log(to_seconds(traced.run().step) / to_seconds(report.step)) / std::log(1.01);
  EXPECT_NEAR(moved, -report.driver[static_cast<std::size_t>(Driver::scale_out)], 0.05);
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
  EXPECT_EQ(report.exposed[static_cast<std::size_t>(Part::other)], SimTime(21'000));
  EXPECT_NEAR(report.driver[static_cast<std::size_t>(Driver::host)], 25.0 / 26.0, 1e-12);
}

}  // namespace
}  // namespace echo::simulate
