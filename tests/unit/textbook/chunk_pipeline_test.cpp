#include "textbook/chunk_pipeline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace echo::textbook {
namespace {

using ops::ChunkQueue;
using Chunks = std::vector<std::vector<Stage>>;

Cost ps(std::int64_t wire) { return {.scale_up = SimTime(wire)}; }

// Picosecond by picosecond: what ends is put in its next queue, then every idle dimension takes one.
SimTime step_by_step(const Chunks& chunks, ChunkQueue queue) {
  using Waiting = std::pair<std::int64_t, std::size_t>;  // since when, which chunk
  struct Busy {
    std::int64_t until = -1;
    std::size_t chunk = 0;
  };
  std::vector<std::vector<Waiting>> waiting(8);
  std::vector<Busy> busy(8);
  std::vector<std::size_t> next(chunks.size(), 0);
  std::size_t left = chunks.size();
  const auto enqueue = [&](std::size_t c, std::int64_t now) {
    if (next[c] == chunks[c].size())
      --left;
    else
      waiting[static_cast<std::size_t>(chunks[c][next[c]].dimension)].push_back({now, c});
  };
  for (std::size_t c = 0; c < chunks.size(); ++c) enqueue(c, 0);
  for (std::int64_t now = 0;; ++now) {
    for (Busy& one : busy)
      if (one.until == now) ++next[one.chunk], enqueue(one.chunk, now), one.until = -1;
    if (left == 0) return SimTime(now);
    for (std::size_t d = 0; d < busy.size(); ++d) {
      auto& queued = waiting[d];
      if (busy[d].until >= 0 || queued.empty()) continue;
      const auto taken =
          queue == ChunkQueue::fifo ? std::ranges::min_element(queued) : std::ranges::max_element(queued);
      busy[d] = {now + chunks[taken->second][next[taken->second]].cost.time().count(), taken->second};
      queued.erase(taken);
    }
  }
}

TEST(ScheduleChunks, EqualsAWalkThroughEveryPicosecond) {
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    Chunks chunks(1 + random() % 7);
    for (auto& stages : chunks) {
      stages.resize(1 + random() % 6);
      for (Stage& stage : stages)
        stage = {static_cast<std::int32_t>(random() % 4), ps(1 + static_cast<std::int64_t>(random() % 9))};
    }
    for (const ChunkQueue queue : {ChunkQueue::fifo, ChunkQueue::lifo})
      ASSERT_EQ(schedule_chunks(chunks, queue).time(), step_by_step(chunks, queue)) << "round " << round;
  }
}

TEST(ChunksAlike, EqualsTheSchedule) {
  std::mt19937 random(11);
  int closed = 0;
  for (int round = 0; round < 3000; ++round) {
    const bool returns = random() % 2 == 0;
    std::vector<Stage> stages;
    for (std::int32_t d = 0; d < static_cast<std::int32_t>(1 + random() % 4); ++d)
      stages.push_back({d, ps(1 + static_cast<std::int64_t>(random() % 50))});
    if (returns)
      for (std::size_t d = stages.size() - 1; d-- > 0;)
        stages.push_back({stages[d].dimension, ps(1 + static_cast<std::int64_t>(random() % 50))});
    const std::int64_t count = 1 + static_cast<std::int64_t>(random() % 12);
    const Chunks chunks(static_cast<std::size_t>(count), stages);
    for (const ChunkQueue queue : {ChunkQueue::fifo, ChunkQueue::lifo}) {
      const auto formula = chunks_alike(stages, count, queue);
      if (!formula) continue;
      ++closed;
      ASSERT_EQ(formula->time(), schedule_chunks(chunks, queue).time()) << "round " << round;
    }
  }
  EXPECT_GT(closed, 2000);
}

TEST(ScheduleChunks, OverlapsTwoDimensions) {  // 2 chunks of 3 ps up, 5 ps on top, 3 ps down, by hand
  const Chunks chunks(2, {{0, ps(3)}, {1, ps(5)}, {0, ps(3)}});
  EXPECT_EQ(schedule_chunks(chunks, ChunkQueue::fifo).time(), SimTime(3 + 5 + 5 + 3));
}

TEST(ScheduleChunks, ServesTheLatestFirstWhereItShould) {
  // Chunk 0 comes back to dimension 0 at 2 while 1 and 2 wait there since 0: last come, first served.
  const Chunks chunks{{{1, ps(2)}, {0, ps(1)}, {1, ps(9)}}, {{0, ps(2)}}, {{0, ps(2)}}};
  EXPECT_EQ(schedule_chunks(chunks, ChunkQueue::lifo).time(), SimTime(2 + 1 + 9));
  EXPECT_EQ(schedule_chunks(chunks, ChunkQueue::fifo).time(), SimTime(2 + 2 + 1 + 9));
}

TEST(ScheduleChunks, SaysWhatTheTimeIsMadeOf) {
  const Stage inside{0, {.latency = SimTime(1), .scale_up = SimTime(4)}};
  const Stage between{1, {.latency = SimTime(2), .scale_out = SimTime(10)}};
  const Cost cost = schedule_chunks(Chunks(3, {inside, between}), ChunkQueue::fifo);
  EXPECT_EQ(cost, (Cost{.latency = SimTime(1 + 3 * 2), .scale_up = SimTime(4), .scale_out = SimTime(30)}));
}

}  // namespace
}  // namespace echo::textbook
