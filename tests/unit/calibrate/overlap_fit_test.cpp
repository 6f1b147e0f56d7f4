#include "calibrate/slowdown/overlap_fit.hpp"
#include "calibrate/slowdown/overlap_learned.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace echo::calibrate {
namespace {

using slowdown::ProfileRow;

TEST(PooledConstants, UnitsThatAgreeCountByTheirErrors) {
  const std::vector<UnitEstimate> units{{"a", 9, 2.0, 1.0}, {"b", 9, 2.5, 0.5}};
  const PooledConstant c = pooled(units);
  EXPECT_DOUBLE_EQ(c.value, (2.0 + 4 * 2.5) / 5.0);
  EXPECT_EQ(c.spread, 0.0);
}

TEST(PooledConstants, UnitsThatDifferSpread) {
  const std::vector<UnitEstimate> units{{"a", 9, 1.0, 0.1}, {"b", 9, 3.0, 0.1}};
  const PooledConstant c = pooled(units);
  EXPECT_DOUBLE_EQ(c.value, 2.0);
  EXPECT_NEAR(c.spread, 1.41, 0.02);
  EXPECT_NEAR(c.error, 1.0, 0.02);
}

// Rows of a world in which streaming kernels take 1 + 3 q, products 0.4 of that, and nothing else.
std::vector<ProfileRow> world() {
  std::vector<ProfileRow> rows;
  for (int run = 0; run < 3; ++run)
    for (int i = 0; i < 20; ++i)
      for (const bool multiplies : {false, true}) {
        ProfileRow row{.recommended = true,
                       .group = "run " + std::to_string(run),
                       .collective_name = "all_reduce",
                       .multiplies = multiplies,
                       .alone = 50e-6,
                       .beside = 1.0,
                       .machine = {100, 1e12}};
        const double load = 0.1 + 0.01 * i;
        row.collective.memory_rate = load * 1e12;
        row.slowdown = 1.0 + (multiplies ? 0.4 : 1.0) * 3.0 * load;
        row.kernel = {.sm_share = 0.1, .compute_bound = multiplies ? 1.0 : 0.0, .by_memory = 1.0};
        rows.push_back(row);
      }
  return rows;
}

TEST(OverlapFit, FindsTheConstantsOfAWorldThatHasThem) {
  const std::vector<ProfileRow> rows = world();
  const OverlapFit fit = fit_overlaps(rows);
  EXPECT_EQ(fit.latency_under_load.units, 3);
  EXPECT_NEAR(fit.latency_under_load.value, 3.0, 1e-9);
  EXPECT_NEAR(fit.product_by_memory.value, 0.4, 1e-9);
  for (const ProfileRow& row : rows) EXPECT_NEAR(factor_with(fit, row), row.slowdown, 1e-9);
}

TEST(OverlapFit, PassesOverRowsThatSayNothing) {
  std::vector<ProfileRow> rows = world();
  for (ProfileRow& row : rows) row.recommended = false;
  EXPECT_EQ(fit_overlaps(rows).latency_under_load.units, 0);
  rows = world();
  for (ProfileRow& row : rows) row.collective.memory_rate = 0.0;
  EXPECT_EQ(fit_overlaps(rows).latency_under_load.units, 0);
}

// In such a world the white box is right about runs that it has not seen, and no other is.
TEST(OverlapLearned, WhiteBoxWinsWhereItsMechanismIsTheWorlds) {
  const std::vector<ProfileRow> rows = world();
  const learn::NestedReport report = compare_learned(rows, HeldOut::run);
  ASSERT_GE(report.candidates.size(), 3U);
  EXPECT_EQ(report.candidates[0].name, "no_slowdown");
  EXPECT_GT(report.candidates[0].all.mean, 0.1);
  for (const learn::CandidateReport& one : report.candidates)
    if (one.name == "white box")
      EXPECT_LT(one.all.mean, 1e-9);
    else
      EXPECT_GT(one.all.mean, 1e-3) << one.name;
}

}  // namespace
}  // namespace echo::calibrate
