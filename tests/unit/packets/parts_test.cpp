// The parts of the packet simulator: events, random streams, buffers, routes, parameters.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>

#include "base/counter_rng.hpp"
#include "base/error.hpp"
#include "packets/engine/event_queue.hpp"
#include "packets/engine/random_streams.hpp"
#include "tests/unit/packets/fabrics.hpp"

namespace echo::packets {
namespace {

// Delays within a slot of the queue, over many, and beyond all of them; in spans of each, so that it empties
// and fills.
TEST(EventQueue, EqualsASortedMap) {
  constexpr std::array<std::uint64_t, 4> longest{50, 40'000, 20'000'000, 400'000'000};
  EventQueue queue;
  std::map<std::pair<std::int64_t, std::int64_t>, std::int32_t> twin;
  std::int64_t now = 0;
  for (std::int32_t i = 0; i < 60'000; ++i) {
    const auto number = static_cast<std::uint64_t>(i);
    const std::uint64_t span = number / 500;
    if (twin.empty() || draw(1, 0, number) % 5 < 2 + draw(1, 3, span) % 2) {
      const std::uint64_t most = longest[(draw(1, 4, span) + draw(1, 2, number) % 2) % 4];
      const std::int64_t time = now + static_cast<std::int64_t>(draw(1, 1, number) % most);
      queue.push({SimTime(time), i, Event::Kind::arrival, i, 0});
      twin.emplace(std::pair{time, i}, i);
    } else {
      const Event event = queue.pop();
      ASSERT_EQ(event.where, twin.begin()->second);
      now = event.time.count();
      twin.erase(twin.begin());
    }
    ASSERT_EQ(queue.empty(), twin.empty());
  }
}

// The first numbers of streams 0 to 4, computed with matrices of arbitrary precision.
TEST(RandomStreams, AreThoseOfMrg32k3a) {
  RandomStreams streams(1, 0);
  for (const double expected :
       {0.816532044168251, 0.835150073680844, 0.943898466259912, 0.9852908130130938, 0.6607343625353528})
    EXPECT_DOUBLE_EQ(streams.next(), expected);
  EXPECT_DOUBLE_EQ(RandomStreams(1, 3).next(), 0.9852908130130938);
  EXPECT_NE(RandomStreams(2, 0).next(), RandomStreams(1, 0).next());
}

TEST(RandomStreams, AreUniform) {
  RandomStreams streams(1, 0);
  double sum = 0;
  for (int i = 0; i < 20'000; ++i) sum += streams.next();
  EXPECT_NEAR(sum / 20'000, 0.5, 0.01);
}

// 32 MiB less 3 ports of 37 500 B and 4096 B, shared by three: an eighth of what is free for each.
TEST(SwitchBuffers, ThresholdIsAnEighthOfWhatIsFree) {
  SwitchBuffers buffers(star(3), default_parameters("none"));
  const std::int32_t port = 1;  // from host 0 to the switch
  const std::int64_t free = (32 << 20) - 3 * (37'500 + 4096);
  EXPECT_EQ(buffers.threshold(port), free / 8);
  buffers.add(port, 3, 4096);
  EXPECT_EQ(buffers.threshold(port), free / 8);  // the reserve is its own
  buffers.add(port, 3, 8000);
  EXPECT_EQ(buffers.threshold(port), (free - 8000) / 8);
  buffers.remove(port, 3, 8000);
  buffers.remove(port, 3, 4096);
  EXPECT_EQ(buffers.used(port, 3), 0);
  EXPECT_EQ(buffers.threshold(port), free / 8);
}

TEST(SwitchBuffers, PauseAtTheThresholdAndResumeBelowIt) {
  Parameters parameters = default_parameters("none");
  set_parameter(parameters, "PFC threshold", "10000");
  SwitchBuffers buffers(star(3), parameters);
  while (!buffers.should_pause(1, 3)) buffers.add(1, 3, 1000);
  EXPECT_GE(buffers.used(1, 3), 10'000 + 4096);
  buffers.set_paused(1, 3, true);
  EXPECT_FALSE(buffers.should_pause(1, 3));
  EXPECT_FALSE(buffers.should_resume(1, 3));
  while (!buffers.should_resume(1, 3)) buffers.remove(1, 3, 1000);
  EXPECT_LE(buffers.used(1, 3), 10'000 + 4096 - 3072);
  EXPECT_GT(buffers.used(1, 3), 10'000 + 4096 - 3072 - 1000);
}

TEST(SwitchBuffers, ReturnToEmptyAfterAnyTraffic) {
  SwitchBuffers buffers(star(4), default_parameters("none"));
  const std::int64_t before = buffers.threshold(1);
  std::vector<std::pair<std::int32_t, std::int64_t>> held;
  for (std::uint64_t i = 0; i < 50'000; ++i) {
    const bool adds = held.empty() || draw(2, 0, i) % 2 == 0;
    if (adds) {
      held.emplace_back(1 + 2 * static_cast<std::int32_t>(draw(2, 1, i) % 4),
                        48 + static_cast<std::int64_t>(draw(2, 2, i) % 9000));
      if (!buffers.admits(held.back().first, 3, held.back().second))
        held.pop_back();
      else
        buffers.add(held.back().first, 3, held.back().second);
    } else {
      buffers.remove(held.front().first, 3, held.front().second);
      held.erase(held.begin());
    }
  }
  for (const auto& [port, bytes] : held) buffers.remove(port, 3, bytes);
  for (const std::int32_t port : {1, 3, 5, 7}) EXPECT_EQ(buffers.used(port, 3), 0);
  EXPECT_EQ(buffers.threshold(1), before);
}

// Two of the reference's paths in a fat tree of 32 hosts, 4 leaves and 8 spines.
TEST(Routing, HashesPathsAsTheReferenceDoes) {
  const Fabric fabric = leaf_spine(4, 8, 8);
  const Routes routes(fabric);
  const auto spine_of = [&](std::int32_t source, std::int32_t destination) {
    const auto path = path_of(fabric, routes, {source, destination, 10000, 100}, PathChoice::hashed);
    EXPECT_EQ(path.size(), 4U);
    return fabric.receiver(path[1]);
  };
  EXPECT_EQ(spine_of(0, 8), 38);
  EXPECT_EQ(spine_of(1, 9), 43);
}

TEST(Routing, PathsAreShortestAndEndWhereTheyShould) {
  const Fabric fabric = leaf_spine(3, 2, 2);
  const Routes routes(fabric);
  for (std::int32_t from = 0; from < 6; ++from)
    for (std::int32_t to = 0; to < 6; ++to) {
      if (from == to) continue;
      const auto path = path_of(fabric, routes, {from, to, 7, 9}, PathChoice::hashed);
      EXPECT_EQ(path.size(), from / 2 == to / 2 ? 2U : 4U);
      EXPECT_EQ(fabric.sender(path.front()), from);
      EXPECT_EQ(fabric.receiver(path.back()), to);
    }
}

// 2 x 2 us of delay and twice the 80 ns of 1000 B: 4160 ns, and 52 000 B at 100 Gb/s.
TEST(Routing, LongestRoundTripIsHpccs) {
  const Fabric fabric = star(2);
  const RoundTrip trip = longest_round_trip(fabric, Routes(fabric), 1000);
  EXPECT_EQ(trip.longest.count(), 4'160'000);
  EXPECT_EQ(trip.bytes, 52'000);
}

// All pairs of hosts, where links and numbers of hosts differ.
TEST(Routing, LongestRoundTripIsThatOfAllPairs) {
  std::mt19937 random(5);
  for (int trial = 0; trial < 40; ++trial) {
    const auto leaves = static_cast<std::int32_t>(1 + random() % 4);
    Fabric fabric = leaf_spine(leaves, static_cast<std::int32_t>(1 + random() % 5), 1 + trial % 2);
    for (Link& link : fabric.links) {
      if (random() % 3 == 0) link.delay = SimTime(static_cast<std::int64_t>(1 + random() % 3) * 1'000'000);
      if (random() % 3 == 0)
        link.bits_per_second = static_cast<std::int64_t>(1 + random() % 2) * 50 * gigabit;
    }
    if (trial % 3 == 0 && leaves > 1)  // a host of two ports
      fabric.links.push_back({fabric.links.back().b, 0, 100 * gigabit, SimTime(500'000), 0});
    const Routes routes(fabric);
    SimTime longest{};
    std::int64_t bytes = 0;
    for (std::int32_t from = 0; from < fabric.nodes(); ++from)
      for (std::int32_t to = 0; to < fabric.nodes(); ++to) {
        if (from == to || !fabric.is_host(from) || !fabric.is_host(to)) continue;
        const auto path = path_of(fabric, routes, {from, to, 0, 0}, PathChoice::first);
        longest = std::max(longest, round_trip(fabric, path, 1000).longest);
        bytes = std::max(bytes, round_trip(fabric, path, 1000).bytes);
      }
    const RoundTrip trip = longest_round_trip(fabric, routes, 1000);
    ASSERT_EQ(trip.longest, longest) << "trial " << trial;
    ASSERT_EQ(trip.bytes, bytes) << "trial " << trial;
  }
}

TEST(Parameters, EveryRowTakesItsOwnDefault) {
  for (const ParameterInfo& row : parameter_table()) {
    Parameters parameters = default_parameters("dcqcn");
    for (const char* word : row.words) EXPECT_NO_THROW(set_parameter(parameters, row.name, word)) << row.name;
    if (row.field == nullptr || row.least > row.most) continue;
    for (const double value : row.value)
      if (value >= row.least) {
        EXPECT_NO_THROW(set_parameter(parameters, row.name, std::to_string(value))) << row.name;
      }
  }
}

TEST(Parameters, RefuseWhatTheyDoNotKnow) {
  Parameters parameters = default_parameters("hpcc");
  EXPECT_THROW(set_parameter(parameters, "RATE_A", "1"), UserError);
  EXPECT_THROW(set_parameter(parameters, "RATE_AI", "many"), UserError);
  EXPECT_THROW(set_parameter(parameters, "PMAX", "1.5"), UserError);
  EXPECT_THROW(set_parameter(parameters, "VAR_WIN", "0.5"), UserError);
  EXPECT_THROW(set_parameter(parameters, "ROUTING", "1"), UserError);
}

TEST(Parameters, MarkingFollowsTheRateOfThePort) {
  const Parameters parameters = default_parameters("dcqcn");
  EXPECT_EQ(marking_thresholds(parameters, 100 * gigabit).least, 400'000);
  EXPECT_EQ(marking_thresholds(parameters, 400 * gigabit).most, 6'400'000);
  EXPECT_EQ(marking_thresholds(parameters, 200 * gigabit).least, 800'000);
}

}  // namespace
}  // namespace echo::packets
