// Admissions from a memo equal those worked out for each config by itself: for configs in any order, for any
// bound of the memo, and whatever the axes that are hidden from what is memoised.
#include "tests/reference/admission_twin.hpp"

#include <gtest/gtest.h>

#include "simulate/admission/admission.hpp"
#include "simulate/admission/axes_read.hpp"
#include "tests/support/random_config.hpp"

namespace echo::reference {
namespace {

using simulate::Admissions;
using simulate::MemoCounts;
using simulate::StepReport;
using training::TrainingConfig;

bool are_same(const StepReport& a, const StepReport& b) {
  return a.status == b.status && a.reason == b.reason && a.rule == b.rule &&
         a.reason_margin == b.reason_margin && a.memory == b.memory && a.memory_peak == b.memory_peak &&
         a.memory_limit == b.memory_limit && a.memory_stage == b.memory_stage &&
         a.mem_rel_error == b.mem_rel_error && a.fit_chance == b.fit_chance;
}

struct Tally {
  std::int64_t unsupported = 0, memory = 0, fits = 0;
  void count(const StepReport& report) {
    ++(report.reason == training::Reason::unsupported ? unsupported
       : report.reason == training::Reason::memory    ? memory
                                                      : fits);
  }
};

// Random configs that many share axes with: each is followed by some that differ in one axis, as the points
// of a sweep do.
std::vector<TrainingConfig> neighbours(std::uint64_t seed) {
  support::Draws draws(seed + 7'000'000);
  std::vector<TrainingConfig> out{draws.coin() ? support::random_config(seed) : support::wild_config(seed)};
  const TrainingConfig other = support::wild_config(seed + 1'000'000);
  for (int i = 0; i < 6; ++i) {
    TrainingConfig next = out[at(draws.below(length_of(out)))];
    const training::AxisInfo& info = training::axis_table[at(support::any_of(draws, training::axis_table))];
    const training::AxisMember& member = training::member_of(info.axis);
    if (member.set != nullptr) member.set(next, member.get(other));
    out.push_back(next);
  }
  return out;
}

TEST(AdmissionTwin, EqualsAMemoOfAnyBound) {
  const simulate::Catalog& catalog = support::presets().catalog;
  const simulate::ErrorModel& errors = support::presets().calibration.errors;
  for (const std::size_t most : {1, 16, 4096}) {
    Admissions admissions(most);
    training::RankLayout layout;
    MemoCounts counts;
    Tally tally;
    for (std::uint64_t seed = 0; seed < 3000; ++seed) {
      for (const TrainingConfig& c : neighbours(seed)) {
        if (!catalog.model(c.model).trace.is_none()) continue;
        StepReport report;
        simulate::report_admission(admissions.of(c, catalog, errors, layout, counts), report);
        const StepReport expected = admission_twin(c, catalog, errors);
        ASSERT_TRUE(are_same(report, expected)) << "seed " << seed << ", at most " << most << " entries";
        tally.count(report);
        if (expected.reason == training::Reason::unsupported) continue;
        const training::RankLayout own = layout_of(c, catalog);
        ASSERT_EQ(layout.stage_of_chunk, own.stage_of_chunk) << "seed " << seed;
        ASSERT_EQ(layout.chunk_kinds, own.chunk_kinds) << "seed " << seed;
        ASSERT_EQ(layout.hop_crosses_nodes, own.hop_crosses_nodes) << "seed " << seed;
        ASSERT_EQ(layout.shard, own.shard) << "seed " << seed;
        ASSERT_EQ(layout.slots, own.slots) << "seed " << seed;
        ASSERT_EQ(layout.mirrors, own.mirrors) << "seed " << seed;
      }
    }
    EXPECT_GT(tally.unsupported, 3000);
    EXPECT_GT(tally.memory, 300);
    EXPECT_GT(tally.fits, 300);
    const MemoCount& count = counts.of[at(simulate::Memo::admission)];
    EXPECT_EQ(count.asked, tally.unsupported + tally.memory + tally.fits);
    if (most > 1) {
      EXPECT_GT(count.known, count.asked / 10);
    }
  }
}

// An axis that admission does not look at changes nothing about it: checked without any memo, so that the
// list of axes is held to what rules and memory do look at.
TEST(AdmissionTwin, DoesNotDependOnHiddenAxes) {
  const simulate::Catalog& catalog = support::presets().catalog;
  const simulate::ErrorModel& errors = support::presets().calibration.errors;
  const training::AxesRead& seen = simulate::axes_of_admission();
  EXPECT_FALSE(seen.contains(training::Axis::overlap_grad_reduce));
  EXPECT_TRUE(seen.contains(training::Axis::tp));
  for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
    const TrainingConfig c = seed % 2 == 0 ? support::random_config(seed) : support::wild_config(seed);
    if (!catalog.model(c.model).trace.is_none()) continue;
    const TrainingConfig hidden = training::config_of(seen.seen_of(training::values_of(c)));
    ASSERT_EQ(seen.seen_of(c, training::values_of(c)), hidden) << "seed " << seed;
    ASSERT_TRUE(are_same(admission_twin(c, catalog, errors), admission_twin(hidden, catalog, errors)))
        << "seed " << seed;
  }
}

// Every axis is in AxisValues, and a config comes back from them whole.
TEST(AxisValues, HoldAllOfAConfig) {
  for (std::uint64_t seed = 0; seed < 5000; ++seed) {
    const TrainingConfig c = support::wild_config(seed);
    const training::AxisValues values = training::values_of(c);
    ASSERT_EQ(training::config_of(values), c) << "seed " << seed;
    for (const training::AxisInfo& info : training::axis_table) {
      const training::AxisMember& member = training::member_of(info.axis);
      if (member.get != nullptr) {
        ASSERT_EQ(values[at(info.axis)], member.get(c)) << info.name;
      }
    }
  }
}

}  // namespace
}  // namespace echo::reference
