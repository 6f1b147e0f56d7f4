#include "cli/traces/trace_summary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/traces/trace_summary_text.hpp"

namespace echo::cli {
namespace {

using ::testing::HasSubstr;
using trace::GroupRole;
using trace::Node;
using trace::NodeKind;

constexpr SimTime us{1'000'000};

// Rank 0 of two: a product of known shape (5 us), beside it an all-reduce (8 us), then an op of unknown shape
// (3 us) that needs both.
trace::Trace small_trace() {
  trace::Trace t{.name = "small", .format = "echo", .gpu = "a GPU", .world = 2};
  t.names = {"op"};
  t.kernels = {{.kind = ops::KernelKind::gemm, .m = 8, .n = 8, .k = 8}};
  t.groups = {{.name = "g", .role = GroupRole::data, .ranks = {0, 1}}};
  trace::RankTrace rank{.rank = 0, .stands_for = {0, 1}};
  rank.nodes = {
      {.id = 0, .kind = NodeKind::compute, .pass = trace::Pass::forward, .kernel = 0, .duration = 5 * us},
      {.id = 1,
       .kind = NodeKind::collective,
       .collective = ops::CollectiveKind::all_reduce,
       .stream = 1,
       .group = 0,
       .duration = 8 * us,
       .bytes = Bytes(64)},
      {.id = 2, .kind = NodeKind::compute, .pass = trace::Pass::backward, .duration = 3 * us}};
  for (int node = 0; node < 2; ++node) rank.needs.close_row();
  rank.needs.push(0), rank.needs.push(1);
  rank.needs.close_row();
  for (int node = 0; node < 3; ++node) rank.follows.close_row();
  t.ranks = {rank};
  return t;
}

std::string verdict(const trace::Trace& t, const std::string& axis) {
  for (const SweepableAxis& one : sweepable(t, summarise(t)))
    if (one.axis == axis) return one.verdict;
  return {};
}

TEST(TraceSummary, CountsWhatIsThere) {
  const trace::Trace t = small_trace();
  ASSERT_EQ(trace::why_unsound(t), "");
  const TraceSummary s = summarise(t);
  ASSERT_EQ(s.ranks.size(), 1U);
  EXPECT_EQ(s.ranks[0].stands_for, 2);
  EXPECT_EQ(s.ranks[0].streams, 2);
  EXPECT_EQ(s.ranks[0].compute, 8 * us);
  EXPECT_EQ(s.ranks[0].communication, 8 * us);
  ASSERT_EQ(s.families.size(), 2U);
  EXPECT_EQ(s.families[0].name, "gemm");
  ASSERT_EQ(s.collectives.size(), 1U);
  EXPECT_EQ(s.collectives[0].kind, "all_reduce");
  EXPECT_EQ(s.collectives[0].bytes, Bytes(64));
  EXPECT_EQ(s.ops[0][1], 1);  // compute, forward
  EXPECT_DOUBLE_EQ(s.known_share(), 5.0 / 8.0);
}

TEST(TraceSummary, PlaysARankBackByItsStreamsAndNeeds) {
  EXPECT_EQ(summarise(small_trace()).step, 11 * us);  // 8 of the all-reduce, then 3
  trace::Trace t = small_trace();
  t.ranks[0].nodes[1].gap = 2 * us;  // issued later
  EXPECT_EQ(summarise(t).step, 13 * us);
  t.ranks[0].nodes[1].stream = 0;  // in line
  EXPECT_EQ(summarise(t).step, 16 * us);
}

TEST(TraceSummary, GroupsLieOnNodesOfEight) {
  trace::Trace t = small_trace();
  t.world = 64;
  t.groups[0].ranks = {0, 8, 9, 63};
  EXPECT_EQ(summarise(t).groups[0].nodes, 3);
}

TEST(Sweepable, TheGpuKindIsWhereShapesOrTheMeasuringGpuAreKnown) {
  trace::Trace t = small_trace();
  EXPECT_EQ(verdict(t, "gpu"), "yes");
  t.gpu.clear();
  EXPECT_EQ(verdict(t, "gpu"), "in part");
  t.ranks[0].nodes[2].kernel = 0;
  EXPECT_EQ(verdict(t, "gpu"), "yes");
  t = small_trace();
  t.ranks[0].nodes[2].duration = SimTime(-1);
  EXPECT_EQ(verdict(t, "gpu"), "in part");
}

TEST(Sweepable, DataParallelismIsWhereAGroupHasThatRole) {
  trace::Trace t = small_trace();
  EXPECT_EQ(verdict(t, "dp"), "yes");
  t.groups[0].role = GroupRole::shard;
  EXPECT_EQ(verdict(t, "dp"), "yes");
  t.groups[0].role = GroupRole::tensor;
  EXPECT_EQ(verdict(t, "dp"), "no");
}

TEST(Sweepable, NetworksAreWhereGroupsAreNamed) {
  trace::Trace t = small_trace();
  EXPECT_EQ(verdict(t, "cluster, network"), "yes");
  t.ranks[0].nodes[1].group = -1;
  EXPECT_EQ(verdict(t, "cluster, network"), "no");
  t.ranks[0].nodes[1].kind = NodeKind::memory;
  EXPECT_EQ(verdict(t, "cluster, network"), "no");
}

TEST(TraceSummaryText, SaysDurationsOnlyWhereThereAreSome) {
  trace::Trace t = small_trace();
  EXPECT_THAT(summary_text(t, summarise(t)), HasSubstr("11.0 us"));
  for (Node& node : t.ranks[0].nodes) node.duration = SimTime(-1);
  EXPECT_THAT(summary_text(t, summarise(t)), HasSubstr("durations          none"));
  EXPECT_THAT(summary_json(t, summarise(t)), HasSubstr("\"step_s\": null"));
}

}  // namespace
}  // namespace echo::cli
