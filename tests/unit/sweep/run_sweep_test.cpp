#include "sweep/run_sweep.hpp"

#include <gtest/gtest.h>

#include "sweep/in_process.hpp"
#include "tests/support/small_space.hpp"

namespace echo::sweep {
namespace {

using support::numbers;

TEST(AllIds, HandsOutEveryIdOnceInOrder) {
  AllIds ids(10, 4);
  PointIndex next = 0;
  while (const auto range = ids.claim()) {
    EXPECT_EQ(range->begin, next);
    EXPECT_GT(range->end, range->begin);
    next = range->end;
  }
  EXPECT_EQ(next, 10);
  EXPECT_FALSE(AllIds(0).claim());
}

TEST(RunSweep, MakesARowOfEveryPointEvenWhereTheCoreThrows) {
  const simulate::Catalog catalog = support::small_catalog();
  const DesignSpace space(
      support::small_sweep({numbers(Axis::tp, {1, 2, 3}), numbers(Axis::micro_batch, {1, 2})}), catalog);
  AllIds ids(space.size(), 2);
  VectorSink sink;
  // No constants are known: pricing what is feasible breaks a contract. tp = 3 is infeasible before that.
  const SweepSummary summary = run_sweep(space, catalog, simulate::Calibration{}, ids, sink);
  ASSERT_EQ(sink.rows.size(), 6u);
  for (PointIndex id = 0; id < space.size(); ++id) {
    const Row& row = sink.rows[static_cast<std::size_t>(id)];
    EXPECT_EQ(row.id, id);
    EXPECT_EQ(row.config, space.at(id));
    EXPECT_EQ(row.config_id, space.config_id(id));
    const bool infeasible = row.config.degrees.tensor == 3;
    EXPECT_EQ(row.report.status, infeasible ? training::Status::infeasible : training::Status::failed);
    EXPECT_EQ(row.report.reason,
              infeasible ? training::Reason::unsupported : training::Reason::internal_error);
  }
  EXPECT_EQ(summary.by_status[static_cast<std::size_t>(training::Status::failed)], 4);
  ASSERT_EQ(summary.failures.size(), 4u);
  EXPECT_EQ(summary.failures[0].id, 0);
  EXPECT_FALSE(summary.failures[0].message.empty());
}

}  // namespace
}  // namespace echo::sweep
