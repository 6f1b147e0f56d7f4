#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.hpp"
#include "cli/plan/plan_counts.hpp"
#include "cli/plan/plan_points.hpp"
#include "cli/plan/plan_probe.hpp"
#include "config/sweep_file/sweep_file.hpp"
#include "sweep/run/in_process.hpp"
#include "sweep/run/run_sweep.hpp"
#include "tests/support/large_space.hpp"
#include "tests/support/source_dir.hpp"

namespace echo::cli {
namespace {

using support::keep;
using support::names;
using support::numbers;
using sweep::Axis;

const simulate::Catalog& catalog() {
  static const simulate::Catalog made = support::small_catalog();
  return made;
}
bool says(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

// 4 x 2 x 2 x 2 = 32: tp = 8 goes, and without stages vpp and the schedule say nothing.
sweep::SweepSpec layouts() {
  return support::small_sweep(
      {numbers(Axis::tp, {1, 2, 4, 8}), numbers(Axis::pp, {1, 2}), numbers(Axis::vpp, {1, 2}),
       names(Axis::schedule, {"1f1b", "interleaved"})},
      {keep("narrow", "tp <= 4"), keep("narrower", "tp <= 7"), keep("idle", "pp > 0")});
}

TEST(PlanCounts, AddUpToThePoints) {
  const PlanCounts counts = count_plan(layouts(), catalog());
  EXPECT_EQ(counts.space.raw, 32);
  ASSERT_TRUE(counts.repeats);
  EXPECT_EQ(*counts.repeats, sweep::exactly(9));
  EXPECT_EQ(counts.to_run, sweep::exactly(32 - 8 - 9));
  ASSERT_TRUE(counts.points);
  EXPECT_EQ(counts.points->size(), counts.to_run.value);
}

TEST(PlanCounts, TellWhetherAnIdleRuleWouldEverFire) {
  const PlanCounts counts = count_plan(layouts(), catalog());
  const std::string text = waterfall_text(layouts(), counts);
  EXPECT_TRUE(says(text, "earlier rules remove the same points")) << text;  // narrower
  EXPECT_TRUE(says(text, "! removes nothing")) << text;                     // idle
  const std::string alone = alone_text(counts);
  EXPECT_EQ(std::count(alone.begin(), alone.end(), '8'), 2) << alone;  // narrow and narrower, 8 each
}

TEST(PlanCounts, SayOfASearchThatItSimulatesFewOfThePoints) {
  auto spec = layouts();
  EXPECT_TRUE(says(to_run_text(spec, count_plan(spec, catalog())), "to run"));
  spec.search.strategy = sweep::Strategy::best;
  const std::string text = to_run_text(spec, count_plan(spec, catalog()));
  EXPECT_TRUE(says(text, "to search  15 points")) << text;
  EXPECT_TRUE(says(text, "bounds and memory leave open")) << text;
}

TEST(PlanCounts, WarnOfARuleThatLeavesNothing) {
  auto spec = layouts();
  spec.rules.push_back(keep("none", "tp > 8"));
  const PlanCounts counts = count_plan(spec, catalog());
  EXPECT_TRUE(says(waterfall_text(spec, counts), "! removes the last"));
  EXPECT_TRUE(says(alone_text(counts), "! removes everything"));
  EXPECT_EQ(counts.to_run, sweep::exactly(0));
}

TEST(PlanCounts, SpacesTooLargeToNumberEstimateTheirRepeats) {
  const simulate::Catalog large = support::large_catalog();
  const auto spec = support::trillion_sweep();
  const PlanCounts counts = count_plan(spec, large);
  EXPECT_TRUE(counts.space.exact);
  EXPECT_FALSE(counts.points);
  ASSERT_TRUE(counts.repeats);
  EXPECT_FALSE(counts.to_run.is_exact());
  EXPECT_LT(counts.repeats->low, counts.repeats->value);
  EXPECT_GT(counts.repeats->high, counts.repeats->value);
  EXPECT_EQ(counts.to_run.value + counts.repeats->value, counts.space.kept.value);
  EXPECT_TRUE(says(to_run_text(spec, counts), "95 %"));
  text::Json json;
  json.open_object();
  add_counts(counts, json);
  json.close();
  EXPECT_TRUE(says(json.text(), "\"exact\": false")) << json.text();
}

TEST(PlanPoints, AreListedAsTheyAreNumbered) {
  const PlanCounts counts = count_plan(layouts(), catalog());
  const auto points = list_points(layouts(), catalog(), counts, 100);
  ASSERT_EQ(static_cast<sweep::PointIndex>(points.size()), counts.points->size());
  for (const PlannedPoint& point : points) EXPECT_EQ(point.config_id, counts.points->config_id(point.number));
  const std::vector<std::pair<std::string, std::string>> first{
      {"tp", "1"}, {"pp", "1"}, {"vpp", "1"}, {"schedule", "1f1b"}};
  EXPECT_EQ(points[0].axes, first);  // model, cluster and batch do not vary
}

TEST(PlanPoints, SayWhatBecomesOfOne) {
  const auto spec = layouts();
  const PlanCounts counts = count_plan(spec, catalog());
  const auto fate = [&](const char* point) { return find_fate(spec, catalog(), counts, point); };
  const PointFate gone = fate("tp=8, pp=2, vpp=1, schedule=1f1b");
  EXPECT_EQ(gone.combinations, 1);
  ASSERT_EQ(gone.removals.size(), 1U);
  EXPECT_EQ(gone.removals[0].rule, "narrow");
  EXPECT_EQ(gone.removals[0].expression, "tp <= 4");
  const PointFate kept = fate("tp=2,pp=2,vpp=2,schedule=interleaved");
  ASSERT_EQ(kept.kept.size(), 1U);
  EXPECT_EQ(kept.kept[0].config_id, counts.points->config_id(kept.kept[0].number));
  const PointFate again = fate("tp=2,pp=1,vpp=2,schedule=interleaved");
  ASSERT_EQ(again.kept.size(), 1U);
  EXPECT_TRUE(again.kept[0].is_repeat);
  EXPECT_EQ(counts.points->config_id(again.kept[0].repeats), again.kept[0].config_id);
  const PointFate several = fate("pp=2");
  EXPECT_EQ(several.combinations, 16);
  EXPECT_EQ(several.kept_count, sweep::exactly(12));
}

TEST(PlanPoints, RefuseWhatTheSweepDoesNotHave) {
  const PlanCounts counts = count_plan(layouts(), catalog());
  const auto complaint = [&](const char* point) -> std::string {
    try {
      (void)find_fate(layouts(), catalog(), counts, point);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_TRUE(says(complaint("tp=3"), "its values are 1, 2, 4, 8")) << complaint("tp=3");
  EXPECT_TRUE(says(complaint("tpp=3"), "did you mean \"tp\"")) << complaint("tpp=3");
  EXPECT_TRUE(says(complaint("dp=1"), "no values in [space]")) << complaint("dp=1");
  EXPECT_TRUE(says(complaint("tp"), "is not of the form AXIS=VALUE")) << complaint("tp");
}

// All points probed: the shares are those of the run.
TEST(PlanProbe, SharesAreThoseOfARun) {
  const auto inputs = config::read_sweep(support::source_dir() + "/sweeps/gpt3-175b-96xh800.toml", {},
                                         {"space.tp=[8]", "space.micro_batch=[1]", "space.vpp=[1,2]"});
  const PlanCounts counts = count_plan(inputs.spec, inputs.catalog);
  ASSERT_GT(counts.points->size(), 10);
  sweep::AllIds ids(counts.points->size());
  sweep::VectorSink sink;
  const auto summary = run_sweep(*counts.points, inputs.catalog, inputs.calibration, ids, sink);
  const Probe probe = probe_points(inputs.spec, inputs.catalog, inputs.calibration, counts, 1'000'000, 4);
  EXPECT_EQ(probe.points, counts.points->size());
  const auto size = static_cast<double>(counts.points->size());
  EXPECT_NEAR(probe.feasible, static_cast<double>(summary.by_status[0]) / size, 1e-9);
  EXPECT_NEAR(probe.feasible + probe.memory + probe.limit + probe.unsupported + probe.failed, 1.0, 1e-9);
  EXPECT_LE(probe.median, probe.p99);
  EXPECT_LE(probe.wall.low, probe.wall.middle);
  EXPECT_LE(probe.wall.middle, probe.wall.high);
  EXPECT_GT(probe.worker_bytes, 1e6);
  EXPECT_GT(probe.file_most, probe.file_least);
  const Probe few = probe_points(inputs.spec, inputs.catalog, inputs.calibration, counts, 5, 1);
  EXPECT_EQ(few.points, 5);
}

}  // namespace
}  // namespace echo::cli
