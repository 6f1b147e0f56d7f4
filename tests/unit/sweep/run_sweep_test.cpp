#include "sweep/run/run_sweep.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include "sweep/run/in_process.hpp"
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

class Interrupted : public AllIds {
 public:
  using AllIds::AllIds;
  void begin(PointIndex id) override { begun.push_back(id); }
  [[nodiscard]] bool is_poisoned(PointIndex id) const override { return id == 1; }
  [[nodiscard]] bool is_stopping_now() const override { return begun.size() == 3; }
  std::vector<PointIndex> begun;
};
struct Notes : VectorSink {
  std::vector<Failure> failures;
  void note_failure(const Failure& failure) override { failures.push_back(failure); }
};

TEST(RunSweep, SparesPoisonedPointsAndLeavesARangeWhenTold) {
  const simulate::Catalog catalog = support::small_catalog();
  const DesignSpace space(support::small_sweep({numbers(Axis::tp, {3, 5, 7, 9})}), catalog);
  Interrupted source(space.size(), 4);
  Notes sink;
  const SweepSummary summary = run_sweep(space, catalog, simulate::Calibration{}, source, sink);
  EXPECT_EQ(source.begun, (std::vector<PointIndex>{0, 1, 2}));
  ASSERT_EQ(sink.rows.size(), 3U);
  EXPECT_EQ(sink.rows[0].report.status, training::Status::infeasible);
  EXPECT_EQ(sink.rows[1].report.status, training::Status::failed);
  EXPECT_EQ(sink.rows[1].report.reason, training::Reason::crashed);
  EXPECT_EQ(sink.rows[1].config_id, space.config_id(1));
  ASSERT_EQ(sink.failures.size(), 1U);
  EXPECT_EQ(sink.failures[0].id, 1);
  EXPECT_EQ(summary.failures.size(), 1U);
}

// Stops before the `most`-th point, and takes its time over each.
class Visited : public AllIds {
 public:
  Visited(PointIndex points, std::size_t most, std::chrono::milliseconds each)
      : AllIds(points, 64), most_(most), each_(each) {}
  void begin(PointIndex id) override {
    begun.push_back(id);
    std::this_thread::sleep_for(each_);
  }
  [[nodiscard]] bool is_stopping_now() const override { return begun.size() == most_; }
  std::vector<PointIndex> begun;

 private:
  std::size_t most_;
  std::chrono::milliseconds each_;
};

std::vector<PointIndex> sorted(std::vector<PointIndex> ids) {
  std::ranges::sort(ids);
  return ids;
}

TEST(RunSweep, HandsRowsOnInTheOrderOfTheirNumbersHoweverPointsAreVisited) {
  const simulate::Catalog catalog = support::small_catalog();
  const DesignSpace space(
      support::small_sweep({numbers(Axis::gpus, {8}), numbers(Axis::overlap_param_gather, {0}),
                            numbers(Axis::zero, {0, 1}), numbers(Axis::tp, {1, 2, 4})}),
      catalog);
  for (const std::size_t most : {std::size_t{3}, std::size_t{100}})
    for (const int each : {0, 80}) {  // ms; of all points together more than a worker holds rows back
      Visited source(space.size(), most, std::chrono::milliseconds(each));
      VectorSink sink;
      run_sweep(space, catalog, simulate::Calibration{}, source, sink);
      EXPECT_EQ(source.begun.size(), std::min<std::size_t>(most, 6));
      EXPECT_NE(source.begun[1], 1) << "like points are not visited together";
      std::vector<PointIndex> handed;
      for (const Row& row : sink.rows) handed.push_back(row.id);
      EXPECT_EQ(handed, sorted(source.begun)) << "most " << most << ", each " << each << " ms";
    }
}

}  // namespace
}  // namespace echo::sweep
