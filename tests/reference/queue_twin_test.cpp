// Queues that serve the newest first: the block composed in their order equals a slow twin that lets each
// queue choose, to the picosecond.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "base/at.hpp"
#include "tests/support/random_block.hpp"
#include "tests/support/sanitized.hpp"
#include "timeline/block/queue_order.hpp"

namespace echo::timeline {
namespace {

struct Times {
  std::vector<SimTime> start, end;
};

// At every instant it asks of every op, from the graph alone, whether it may begin.
Times twin(const OpGraphView& graph, const std::vector<SimTime>& alone) {
  const std::size_t ops = graph.lane.size();
  std::vector<std::optional<SimTime>> start(ops), end(ops);
  SimTime now{};
  // Since when the op is ready; nothing: it is not.
  const auto ready = [&](std::size_t op) -> std::optional<SimTime> {
    SimTime last{};
    for (const OpId need : graph.needs->row(static_cast<std::int32_t>(op))) {
      if (!end[at(need)] || *end[at(need)] > now) return std::nullopt;
      last = std::max(last, *end[at(need)]);
    }
    return last;
  };
  std::set<std::size_t> running;
  for (;;) {
    for (std::int32_t l = 0; l < lane_count; ++l) {
      const auto lane = static_cast<Lane>(l);
      const bool is_queue = lane != Lane::compute && lane != Lane::host;
      if (std::ranges::any_of(running, [&](std::size_t op) { return graph.lane[op] == lane; })) continue;
      std::optional<std::size_t> chosen;
      for (std::size_t op = 0; op < ops; ++op) {
        if (graph.lane[op] != lane || start[op]) continue;
        const auto since = ready(op);
        if (since && (!chosen || *since > *ready(*chosen))) chosen = op;
        if (!is_queue) break;
      }
      if (!chosen) continue;
      start[*chosen] = now;
      running.insert(*chosen);
    }
    if (running.empty()) break;
    SimTime next = SimTime::max();
    const auto end_of = [&](std::size_t op) { return *start[op] + alone[at(graph.work[op])]; };
    for (const std::size_t op : running) next = std::min(next, end_of(op));
    now = next;
    for (const std::size_t op : std::set(running))
      if (end_of(op) == now) end[op] = now, running.erase(op);
  }
  Times times;
  for (std::size_t op = 0; op < ops; ++op) times.start.push_back(*start[op]), times.end.push_back(*end[op]);
  return times;
}

// The block with its ops in another order.
struct Reordered {
  Reordered(const RandomBlock& block, const std::vector<OpId>& order) {
    std::vector<OpId> place(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) place[at(order[i])] = OpId(static_cast<std::int32_t>(i));
    for (const OpId op : order) {
      lane.push_back(block.lane[at(op)]), part.push_back(block.part[at(op)]);
      work.push_back(block.work[at(op)]);
      for (const OpId need : block.needs.row(op)) needs.push(place[at(need)]);
      needs.close_row();
    }
  }
  [[nodiscard]] OpGraphView view() const { return {lane, part, work, &needs}; }
  std::vector<Lane> lane;
  std::vector<TimeCategory> part;
  std::vector<WorkId> work;
  Csr<OpId> needs;
};

TEST(QueueTwin, AgreesOnEveryOpOfRandomBlocks) {
  BlockScratchData scratch;
  std::int32_t overtaken = 0;
  for (std::uint64_t i = 0; i < (support::is_sanitized ? 400 : 4000); ++i) {
    const RandomBlock block(i);
    const std::vector<OpId> order = order_newest_first(block.view(), block.alone);
    ASSERT_EQ(order.size(), block.lane.size());
    const Reordered newest(block, order);
    (void)compose_block(newest.view(), block.alone, {}, scratch);
    const Times slow = twin(block.view(), block.alone);
    for (std::size_t place = 0; place < order.size(); ++place) {
      ASSERT_EQ(slow.start[at(order[place])], scratch.start[place]) << block.describe() << " op " << place;
      ASSERT_EQ(slow.end[at(order[place])], scratch.end[place]) << block.describe() << " op " << place;
    }
    (void)compose_block(block.view(), block.alone, {}, scratch);
    overtaken += scratch.end == slow.end ? 0 : 1;
  }
  EXPECT_GT(overtaken, support::is_sanitized ? 20 : 200);
}

// In the order of launch a collective also waits for those before it that are not ready.
TEST(QueueTwin, IsNoSlowerWhereCollectivesTakeNoTime) {
  BlockScratchData scratch;
  for (std::uint64_t i = 0; i < 200; ++i) {
    RandomBlock block(i);
    std::fill(block.alone.begin() + block.kernels, block.alone.end(), SimTime::zero());
    const Reordered newest(block, order_newest_first(block.view(), block.alone));
    ASSERT_LE(compose_block(newest.view(), block.alone, {}, scratch).makespan,
              compose_block(block.view(), block.alone, {}, scratch).makespan)
        << block.describe();
  }
}

// A layer's weights, asked for last, overtake the gradients that wait; the gradient that is on its way ends
// first.
TEST(QueueTwin, LetsWeightsOvertakeGradientsThatWait) {
  RandomBlock block(0);
  block.lane = {Lane::compute, Lane::data, Lane::data, Lane::compute, Lane::data, Lane::compute};
  block.part.assign(6, TimeCategory::backward);
  const std::int32_t kernels = 1;
  const WorkId kernel = work_of(KernelId(0)), collective = work_of(CollectiveId(0), kernels);
  block.work = {kernel, collective, collective, kernel, collective, kernel};
  block.alone = {SimTime(10), SimTime(30)};
  block.needs.clear();
  for (const std::int32_t need : {-1, 0, 0, 0, 3, 4}) {
    if (need >= 0) block.needs.push(OpId(need));
    block.needs.close_row();
  }
  BlockScratchData scratch;
  EXPECT_EQ(compose_block(block.view(), block.alone, {}, scratch).makespan, SimTime(10 + 3 * 30 + 10));
  const Reordered newest(block, order_newest_first(block.view(), block.alone));
  EXPECT_EQ(compose_block(newest.view(), block.alone, {}, scratch).makespan, SimTime(10 + 2 * 30 + 10));
}

}  // namespace
}  // namespace echo::timeline
