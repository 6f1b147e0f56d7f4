#include "textbook/direct_on_ring.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

namespace echo::textbook {
namespace {

// The slow twin: every rank, every cable, every message.
SimTime with_all_ranks(const RingMessages& m) {
  struct Message {
    std::int32_t source = 0, at = 0, apart = 0;
  };
  std::multimap<SimTime, Message> coming;  // equal times: in the order of insertion
  std::vector<SimTime> forwards(static_cast<std::size_t>(m.ranks)), backwards = forwards;
  for (std::int64_t one = 0; one < m.beside; ++one)
    for (std::int32_t apart = 1; apart <= std::min<std::int64_t>(m.window, m.ranks - 1); ++apart)
      for (std::int32_t rank = 0; rank < m.ranks; ++rank)
        coming.emplace(SimTime{}, Message{rank, rank, apart});
  SimTime end{};
  while (!coming.empty()) {
    SimTime time = coming.begin()->first;
    Message message = coming.begin()->second;
    coming.erase(coming.begin());
    const bool goes_up = 2 * message.apart <= m.ranks;
    SimTime& free = (goes_up ? forwards : backwards)[static_cast<std::size_t>(message.at)];
    free = std::max(free, time) + m.wire;
    time = free + m.latency;
    message.at = (message.at + (goes_up ? 1 : m.ranks - 1)) % m.ranks;
    if (message.at == (message.source + message.apart) % m.ranks) {
      time += m.receiver;
      end = std::max(end, time);
      message.at = message.source;
      message.apart += static_cast<std::int32_t>(m.window);
      if (message.apart >= m.ranks) continue;
    }
    coming.emplace(time, message);
  }
  return end;
}

TEST(DirectOnRing, EqualsTheRunOfAllRanks) {
  std::mt19937 random(11);
  for (int trial = 0; trial < 300; ++trial) {
    RingMessages m;
    m.ranks = static_cast<std::int32_t>(2 + random() % 20);
    m.window = 1 + random() % static_cast<std::uint32_t>(m.ranks);
    m.beside = 1 + random() % 3;
    m.wire = SimTime(static_cast<std::int64_t>(1 + random() % 1000));
    m.latency = SimTime(static_cast<std::int64_t>(random() % 1000));
    m.receiver = SimTime(static_cast<std::int64_t>(random() % 3 * 10));
    const LastMessage last = direct_on_ring(m);
    ASSERT_EQ(last.end, with_all_ranks(m)) << "trial " << trial;
    const SimTime alone = last.hops * (m.wire + m.latency) + (last.before + 1) * m.receiver;
    EXPECT_GE(last.end, alone) << "trial " << trial;
  }
}

// Of eight ranks a cable carries messages to 1, 2, 3 and 4 ranks on: ten in all. It waits a latency for the
// last one, which has nothing to queue behind, and that one comes a latency later.
TEST(DirectOnRing, KeepsACableBusyWhereLatencyIsShort) {
  const LastMessage last =
      direct_on_ring({.ranks = 8, .window = 7, .wire = SimTime(1000), .latency = SimTime(10)});
  EXPECT_EQ(last.end, SimTime(10 * 1000 + 2 * 10));
}

}  // namespace
}  // namespace echo::textbook
