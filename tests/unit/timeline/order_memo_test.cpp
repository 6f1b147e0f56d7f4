// Orders from the memo against orders listed anew, for shapes in any sequence.
#include "timeline/pipeline/order_memo.hpp"

#include <gtest/gtest.h>

#include <random>

#include "base/at.hpp"

namespace echo::timeline {
namespace {

TEST(OrderMemo, GivesTheOrdersOfTheShapeWhateverWasAskedBefore) {
  std::mt19937 random(9);
  OrderMemo memo;
  std::size_t listed = 0, largest = 0;
  for (int i = 0; i < 4000; ++i) {
    const Schedule& schedule = *schedule_table()[random() % schedule_table().size()];
    if (schedule.slice == nullptr) continue;
    const std::int32_t stages = 1 << random() % 4, laps = schedule.interleaves ? 2 : 1 << random() % 2;
    std::vector<std::int32_t> stage_of(at(stages * laps));
    PipelineShape shape{.stages = stages,
                        .chunks = stages * laps,
                        .microbatches = static_cast<std::int32_t>(1 + random() % 48) * schedule.copies};
    shape.copies = schedule.copies;
    schedule.place(stages, shape.chunks, stage_of);
    shape.stage_of_chunk = stage_of;
    if (schedule.refuses(shape)) continue;
    ++listed;
    Csr<Task> all;
    order_of(schedule, shape, {}, all);
    EXPECT_EQ(memo.of(schedule, shape, false).start, all);
    if (schedule.steady == nullptr || schedule.steady(shape, 0).repeats < 1) continue;
    const OrderMemo::Orders& orders = memo.of(schedule, shape, true);
    for (std::int32_t s = 0; s < stages; ++s) {
      const SteadyStretch steady = schedule.steady(shape, s);
      const auto row = all.row(s), start = orders.start.row(s), rest = orders.rest.row(s);
      ASSERT_EQ(start.size(), at(steady.first + steady.length));
      EXPECT_TRUE(std::ranges::equal(start, row.first(start.size())));
      const auto after = row.subspan(at(steady.first + steady.repeats * steady.length));
      EXPECT_TRUE(std::ranges::equal(rest, after));
      largest = std::max(largest, start.size());
    }
  }
  EXPECT_GT(listed, 1000U);
  EXPECT_GT(largest, 20U);
}

}  // namespace
}  // namespace echo::timeline
