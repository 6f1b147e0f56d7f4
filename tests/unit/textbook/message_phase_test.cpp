#include "textbook/message_phase.hpp"

#include <gtest/gtest.h>

#include <map>

#include "base/at.hpp"
#include "tests/unit/textbook/message_programs.hpp"
#include "textbook/run_program.hpp"

namespace echo::textbook {
namespace {

using machine::DimensionAlgorithm;
using ops::CollectiveKind;

Dimension of(DimensionKind kind, std::int32_t size) {
  const double cables = kind == DimensionKind::switched          ? 1.0
                        : kind == DimensionKind::fully_connected ? size - 1.0
                                                                 : 2.0;
  return {.kind = kind,
          .size = size,
          .bandwidth = BytesPerSecond(50e9 * cables),
          .latency = std::chrono::nanoseconds(500)};
}

constexpr std::int64_t megabyte = 1 << 20;

// The slow twin: every message of every rank.
TEST(MessagePhase, TakesAsLongAsItsMessagesOneByOne) {
  for (const DimensionKind kind :
       {DimensionKind::ring, DimensionKind::switched, DimensionKind::fully_connected}) {
    for (const std::int32_t n : {2, 3, 4, 5, 8, 16}) {
      const Dimension d = of(kind, n);
      for (const Call& call : {Call{CollectiveKind::all_reduce, megabyte},
                               {CollectiveKind::all_gather, 1000},
                               {CollectiveKind::reduce_scatter, 77777},
                               {CollectiveKind::all_to_all, 12345}}) {
        for (const DimensionAlgorithm algorithm :
             {DimensionAlgorithm::ring, DimensionAlgorithm::direct, DimensionAlgorithm::halving_doubling}) {
          if (!serves(algorithm, call.kind, n)) continue;
          const machine::CollectiveProgram program = testing::written_out(call, algorithm, n);
          const auto slow = run_program(program, call.bytes, std::span(&d, 1), {});
          ASSERT_TRUE(slow.has_value());
          EXPECT_EQ(message_phase(call, {algorithm, 0}, d, {}).cost.time(), slow->time())
              << machine::dimension_algorithm_names[at(algorithm)] << " of " << n << " on "
              << dimension_kind_names[at(kind)] << ", " << ops::collective_kind_names[at(call.kind)];
        }
      }
    }
  }
}

// By hand: two hops of latency and the bytes; e in front and behind each message, three touches of memory.
TEST(MessagePhase, AddsWhatRanksTakeBehindEachMessage) {
  const MessageCosts costs{.endpoint_delay = std::chrono::nanoseconds(10),
                           .reduction_memory = BytesPerSecond(1e9)};
  const Cost cost = message_phase({CollectiveKind::reduce_scatter, 4000}, {DimensionAlgorithm::ring, 0},
                                  of(DimensionKind::switched, 4), costs)
                        .cost;
  EXPECT_EQ(cost.latency, std::chrono::nanoseconds(3 * 500));
  EXPECT_EQ(cost.scale_up, std::chrono::nanoseconds(3 * 20));
  EXPECT_EQ(cost.endpoint, std::chrono::nanoseconds(10 + 3 * 10 + 3 * 3000));
}

TEST(MessagePhase, StoresAndForwardsAnAllToAllRoundARing) {
  const Cost cost = message_phase({CollectiveKind::all_to_all, 8 * megabyte}, {DimensionAlgorithm::ring, 0},
                                  of(DimensionKind::ring, 8), {})
                        .cost;
  EXPECT_EQ(cost.time(), 28 * (std::chrono::nanoseconds(500) + Bytes(megabyte) / BytesPerSecond(50e9)));
}

// One rank's cable, message by message, for chunks of which `active` are under way: what it sends is what it
// gets.
SimTime chunks_on_a_cable(std::int64_t chunks, std::int64_t active, std::int64_t steps, SimTime wire,
                          SimTime behind) {
  std::multimap<SimTime, std::int64_t> waiting;  // when a message wants the cable -> steps left of its chunk
  for (std::int64_t c = 0; c < std::min(active, chunks); ++c) waiting.emplace(SimTime{}, steps);
  std::int64_t begun = std::min(active, chunks);
  SimTime free{}, end{};
  while (!waiting.empty()) {
    const auto [time, left] = *waiting.begin();
    waiting.erase(waiting.begin());
    free = std::max(free, time) + wire;
    end = std::max(end, free + behind);
    if (left > 1)
      waiting.emplace(free + behind, left - 1);
    else if (begun++ < chunks)
      waiting.emplace(free + behind, steps);
  }
  return end;
}

// Where the cable is never idle, the last message is late by what lies behind the cable, once for all chunks.
TEST(MessagePhase, ChunksTakeTurnsOnACable) {
  const Dimension ring = of(DimensionKind::ring, 8);
  for (const std::int64_t active : {2, 3, 4})
    for (const std::int64_t waves : {1, 2, 5})
      for (const std::int64_t size : {1, 8, 64}) {
        const MessageCosts costs{.sharing = machine::LinkSharing::aware, .beside = active};
        const std::int64_t piece = size * megabyte / 16;
        const PhaseCost phase = message_phase({CollectiveKind::reduce_scatter, 8 * piece},
                                              {DimensionAlgorithm::ring, 0}, ring, costs);
        const std::vector<std::vector<Stage>> chunks(at(active * waves), {{0, phase.cost, phase.early}});
        const SimTime time =
            schedule_chunks(chunks, ops::ChunkQueue::fifo, static_cast<std::int32_t>(active)).time();
        EXPECT_EQ(time,
                  chunks_on_a_cable(active * waves, active, 7, Bytes(piece) / ring.cable(), ring.latency))
            << active << " active, " << waves << " waves, " << piece << " B";
      }
}

// A window of one sends to one after the other.
TEST(MessagePhase, AWindowBoundsWhatIsUnderWay) {
  const Dimension d = of(DimensionKind::switched, 8);
  const Call call{CollectiveKind::all_gather, 8 * megabyte};
  const auto time = [&](std::int32_t window) {
    return message_phase(call, {DimensionAlgorithm::direct, window}, d, {}).cost.time();
  };
  EXPECT_EQ(time(1), 7 * time(0));
  EXPECT_EQ(time(4), 2 * time(0));
  EXPECT_EQ(time(7), time(0));
}

// Where messages notice each other, no rank sends more than its port carries.
TEST(MessagePhase, AwareOfOthersNeverBeatsThePort) {
  for (const DimensionKind kind : {DimensionKind::switched, DimensionKind::fully_connected}) {
    for (const std::int32_t n : {4, 8, 16}) {
      const Dimension d = of(kind, n);
      for (const DimensionAlgorithm algorithm :
           {DimensionAlgorithm::ring, DimensionAlgorithm::direct, DimensionAlgorithm::halving_doubling}) {
        const Call call{CollectiveKind::reduce_scatter, 64 * megabyte};
        const SimTime wire = Bytes(call.bytes / n * (n - 1)) / d.bandwidth;
        EXPECT_GE(
            message_phase(call, {algorithm, 0}, d, {.sharing = machine::LinkSharing::aware}).cost.time(),
            wire);
      }
    }
  }
}

TEST(MessagePhase, TakesTheFastestWhereTheAlgorithmDoesNotServe) {
  const Dimension d = of(DimensionKind::switched, 6);
  const Call call{CollectiveKind::all_reduce, megabyte};
  const SimTime fastest = message_phase(call, {DimensionAlgorithm::halving_doubling, 0}, d, {}).cost.time();
  EXPECT_EQ(fastest, std::min(message_phase(call, {DimensionAlgorithm::ring, 0}, d, {}).cost.time(),
                              message_phase(call, {DimensionAlgorithm::direct, 0}, d, {}).cost.time()));
}

}  // namespace
}  // namespace echo::textbook
