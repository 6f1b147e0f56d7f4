// A traced job of another size: which groups grow or shrink, and where their ranks are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/contract.hpp"
#include "simulate/prices/price_work.hpp"
#include "simulate/replay/replay_shape.hpp"
#include "tests/support/sample_trace.hpp"
#include "tests/support/traced_step.hpp"
#include "training/layout/rank_layout.hpp"

namespace echo::simulate {
namespace {

using support::Traced;
using training::Status;
using training::TrainingConfig;

TEST(TracedStep, GrowsWithTheDataDegree) {
  Traced traced(support::data_parallel_trace(8));
  const SimTime eight = traced.run().step;
  traced.config.degrees.data = 64;
  const StepReport report = traced.run();
  ASSERT_EQ(report.status, Status::ok);
  EXPECT_GT(report.step, eight);
  // All-reduces of 64 ranks on 8 nodes, priced as the generator's would be.
  const auto& price = traced.ws.step.prices.collectives.at(0);
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
        EXPECT_EQ(traced.ws.step.prices.collectives, there.ws.step.prices.collectives)
            << from << " to " << degree;
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
  EXPECT_THAT(why_unsupported(traced.config, traced.catalog).text, ::testing::HasSubstr("multiple"));
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
  EXPECT_THAT(why_unsupported(traced.config, traced.catalog).text, ::testing::HasSubstr("data_groups"));
}

TEST(TraceShape, ReadsMegatronsGrid) {
  const TraceShape shape = shape_of(support::staged_trace(2, 4, 3));
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
        const trace::Trace trace = support::staged_trace(tensor, data, 3);
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

}  // namespace
}  // namespace echo::simulate
