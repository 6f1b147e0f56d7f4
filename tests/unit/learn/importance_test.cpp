#include "learn/evaluate/importance.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "learn/evaluate/inputs.hpp"
#include "learn/evaluate/partial_dependence.hpp"
#include "tests/support/learn_examples.hpp"

using namespace echo;
using namespace echo::learn;
using echo::testing::metric_examples;

// Predicts by DRAM throughput alone, and is right.
static Fitted dram_only() {
  return {.slowdown = [](const Example& example) { return echo::testing::by_dram(example.row); }};
}

static double growth(const std::vector<Importance>& all, const std::string& input) {
  const auto at =
      std::find_if(all.begin(), all.end(), [&](const Importance& one) { return one.input == input; });
  return at == all.end() ? -1.0 : at->growth;
}

TEST(Importance, IsExactlyZeroOfWhatIsNotUsed) {
  const Examples examples = metric_examples(200, 5, 1, echo::testing::by_dram);
  const auto found = importance_of(dram_only(), examples, echo::testing::all_rows(examples), 1);
  EXPECT_EQ(growth(found, "kernel_name"), 0.0);
  EXPECT_EQ(growth(found, "compute_throughput"), 0.0);
  EXPECT_EQ(growth(found, "kernel_time"), 0.0);
  EXPECT_EQ(found.front().input, "dram_throughput");
  EXPECT_EQ(growth(found, "registers"), -1.0) << "no row knows it: left out";
}

// Half of the rows are slowed by 1 over a ratio r in 0.5..1. Dealing out DRAM throughput makes half of the
// predictions wrong: 0 for 1 costs r / (1 + r), 1 for 0 costs r.
TEST(Importance, IsWhatAPencilSays) {
  const Examples examples = metric_examples(4000, 5, 2, echo::testing::by_dram);
  const auto found = importance_of(dram_only(), examples, echo::testing::all_rows(examples), 1);
  double expected = 0.0;
  for (const Example& example : examples.rows) {
    const double r = example.row.overlap_ratio;
    expected += 0.5 * (echo::testing::by_dram(example.row) > 0.0 ? r / (1.0 + r) : r) / 4000.0;
  }
  EXPECT_NEAR(growth(found, "dram_throughput"), expected, 0.02);
  EXPECT_LT(found.front().spread, 0.02);
}

TEST(Importance, OverFoldsIsOfHeldOutRows) {
  const Examples examples = metric_examples(200, 4, 3, echo::testing::by_name);
  const auto candidates = candidates_of(examples);
  const auto families = std::find_if(candidates.begin(), candidates.end(),
                                     [](const Candidate& candidate) { return candidate.name == "families"; });
  const auto seen = importance_of(*families, 0, examples, {});
  EXPECT_EQ(seen.front().input, "kernel_name");
  EXPECT_GT(seen.front().growth, 0.1);
  // Of kernels never seen the name says nothing.
  EXPECT_EQ(growth(importance_of(*families, 0, examples, {.grouping = Grouping::kernel}), "kernel_name"),
            0.0);
}

TEST(PartialDependence, FollowsTheInputAndNoOther) {
  const Examples examples = metric_examples(300, 5, 4, echo::testing::by_dram);
  const auto curves = partial_dependence(dram_only(), examples, echo::testing::all_rows(examples));
  bool has_dram = false;
  for (const DependenceCurve& curve : curves) {
    ASSERT_EQ(curve.at.size(), curve.slowdown.size());
    ASSERT_LE(curve.at.size(), static_cast<std::size_t>(curve_points));
    EXPECT_TRUE(std::is_sorted(curve.at.begin(), curve.at.end()));
    const bool is_dram = curve.input == "dram_throughput";
    has_dram = has_dram || is_dram;
    for (std::size_t i = 0; i < curve.at.size(); ++i)
      EXPECT_TRUE(!is_dram || curve.slowdown[i] == (curve.at[i] > 0.5 ? 1.0 : 0.0));
    EXPECT_TRUE(is_dram || curve.slowdown.front() == curve.slowdown.back()) << curve.input;
  }
  EXPECT_TRUE(has_dram);
}

TEST(Inputs, SetWhatTheyTellAndTakeNothingElse) {
  for (const slowdown::FeatureSet features :
       {slowdown::FeatureSet::metrics, slowdown::FeatureSet::simulator}) {
    Examples examples = echo::testing::priced_examples(2, 5, 1.0);
    Example &into = examples.rows[0], &from = examples.rows[1];
    for (const Input& input : inputs_of(features)) {
      if (input.value == nullptr) continue;
      Example changed = into;
      input.take(changed, from);
      EXPECT_TRUE(std::isnan(input.value(from)) || input.value(changed) == input.value(from)) << input.name;
      input.set(changed, 7.0);
      EXPECT_EQ(input.value(changed), 7.0) << input.name;
      for (const Input& other : inputs_of(features))
        EXPECT_TRUE(other.value == nullptr || other.name == input.name || std::isnan(other.value(into)) ||
                    other.value(changed) == other.value(into))
            << input.name << " moved " << other.name;
    }
  }
}
