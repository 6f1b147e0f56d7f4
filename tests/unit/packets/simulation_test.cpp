#include "packets/engine/simulation.hpp"

#include <gtest/gtest.h>

#include "base/counter_rng.hpp"
#include "tests/unit/packets/fabrics.hpp"
#include "tests/unit/packets/slow_twin.hpp"

namespace echo::packets {
namespace {

constexpr std::int64_t nanosecond = 1000;  // ps

std::vector<Flow> incast(std::int32_t senders, std::int64_t bytes) {
  std::vector<Flow> flows;
  for (std::int32_t i = 1; i <= senders; ++i)
    flows.push_back({.source = i, .destination = 0, .bytes = bytes});
  return flows;
}

double mean_us(const Outcome& outcome) {
  double sum = 0;
  for (const FlowTime& flow : outcome.flows) sum += to_microseconds(flow.duration);
  return sum / static_cast<double>(outcome.flows.size());
}

// 1000 packets of 83 ns behind each other, the last one once more on the second link, two links of 1 us each
// way, and an acknowledgement of 4 ns twice.
TEST(PacketSimulation, IdleNetworkTakesTheClosedForm) {
  const Outcome outcome = run(star(2), {{.source = 0, .destination = 1, .bytes = 1'000'000}});
  EXPECT_EQ(outcome.flows[0].duration.count(), (1000 * 83 + 83 + 2 * 1000 + 2 * 1004) * nanosecond);
}

TEST(PacketSimulation, WithoutRoundingTheClosedFormIsInPicoseconds) {
  const Outcome outcome =
      run(star(2), {{.source = 0, .destination = 1, .bytes = 10'000}}, "none", {{"time resolution", "0"}});
  EXPECT_EQ(outcome.flows[0].duration.count(), 11 * 82'880 + 2 * 3'840 + 4'000'000);
}

// A cut-through switch waits for the header of 36 B alone: 3 ns instead of 83.
TEST(PacketSimulation, CutThroughSavesAllButTheHeader) {
  const std::vector<Flow> flow{{.source = 0, .destination = 1, .bytes = 1000}};
  const Outcome stored = run(star(2), flow), cut = run(star(2), flow, "none", {{"SWITCHING", "cut-through"}});
  EXPECT_EQ((stored.flows[0].duration - cut.flows[0].duration).count(), (83 - 3 + 4 - 3) * nanosecond);
}

// Host 0 is on both switches, host 1 too: data take the given way over one, answers their own over the other
// or the link between the hosts.
TEST(PacketSimulation, AnswersLeaveAHostOfSeveralPortsByTheirOwn) {
  for (const bool are_linked : {false, true}) {
    Fabric fabric;
    fabric.is_switch = {0, 0, 1, 1};
    for (const std::int32_t node : {2, 3})
      for (const std::int32_t host : {0, 1})
        fabric.links.push_back({node, host, 100 * gigabit, SimTime(1'000'000), 0});
    if (are_linked) fabric.links.push_back({0, 1, 100 * gigabit, SimTime(1'000'000), 0});
    for (const char* name : {"none", "dcqcn", "hpcc"}) {
      std::vector<Flow> flows;
      for (const std::int32_t by : {2, 3})
        flows.push_back({.source = 0, .destination = 1, .bytes = 2'000'000, .nodes = {0, by, 1}});
      const Outcome outcome = run(fabric, flows, name);
      EXPECT_TRUE(outcome.unfinished.empty()) << name;
      if (std::string_view(name) == "hpcc") continue;  // its window is that of the shortest way
      for (const FlowTime& flow : outcome.flows)
        EXPECT_NEAR(to_seconds(flow.duration), 2000 * 83e-9, 10e-6) << name << ' ' << are_linked;
    }
  }
}

TEST(PacketSimulation, SwitchLatencyIsAddedOnBothWays) {
  const std::vector<Flow> flow{{.source = 0, .destination = 1, .bytes = 1000}};
  const Outcome without = run(star(2), flow), with = run(star(2), flow, "none", {{"switch latency", "500"}});
  EXPECT_EQ((with.flows[0].duration - without.flows[0].duration).count(), 2 * 500 * nanosecond);
}

TEST(PacketSimulation, IncastIsBoundByItsLastLink) {
  for (const char* name : {"none", "dcqcn", "hpcc", "timely", "dctcp", "swift"}) {
    const Outcome outcome = run(star(9), incast(8, 1'000'000), name);
    ASSERT_TRUE(outcome.unfinished.empty()) << name;
    SimTime last{};
    for (const FlowTime& flow : outcome.flows) last = std::max(last, flow.duration);
    EXPECT_GE(last.count(), 8 * 1000 * 83 * nanosecond) << name;
    EXPECT_EQ(outcome.totals.drops, 0) << name;
  }
}

TEST(PacketSimulation, PausesKeepSmallBuffersFromLosing) {
  const Outcome outcome = run(star(17), incast(16, 500'000), "none", {{"BUFFER_SIZE", "2"}});
  EXPECT_TRUE(outcome.unfinished.empty());
  EXPECT_GT(outcome.totals.pauses, 0);
  EXPECT_EQ(outcome.totals.drops, 0);
  EXPECT_LE(outcome.totals.largest_queue_bytes, 2 << 20);
}

// Host 0 sends to host 5 over the link on which the incast of hosts 1 to 3 on host 4 is paused.
TEST(PacketSimulation, PausesBlockFlowsThatOnlyShareALink) {
  Fabric fabric = star(4);
  fabric.is_switch = {0, 0, 0, 0, 0, 0, 1, 1};
  fabric.links.clear();
  for (std::int32_t host = 0; host < 4; ++host)
    fabric.links.push_back({6, host, 100 * gigabit, SimTime(1'000'000), 0});
  for (std::int32_t host = 4; host < 6; ++host)
    fabric.links.push_back({7, host, 100 * gigabit, SimTime(1'000'000), 0});
  fabric.links.push_back({6, 7, 400 * gigabit, SimTime(1'000'000), 0});
  std::vector<Flow> flows{{.source = 0, .destination = 5, .bytes = 1'000'000}};
  for (std::int32_t host = 1; host < 4; ++host)
    flows.push_back({.source = host, .destination = 4, .bytes = 1'000'000});
  const Outcome paused = run(fabric, flows, "none", {{"PFC threshold", "20000"}});
  const Outcome alone = run(fabric, {flows[0]});
  EXPECT_GT(paused.totals.pauses, 0);
  EXPECT_GT(paused.flows[0].duration.count(), 2 * alone.flows[0].duration.count());
}

// A buffer of B bytes at the switch lets B bytes leave a host in a round trip: the packet's 83 ns, 1 us
// there, 83 ns on the idle output until it leaves the buffer at its start, and 1 us for the credit.
TEST(PacketSimulation, CreditsBoundTheRateByBufferOverRoundTrip) {
  const std::vector<Flow> flow{{.source = 0, .destination = 1, .bytes = 2'000'000}};
  for (const std::int64_t packets : {2, 4, 8}) {
    const std::string buffer = std::to_string(packets * 1036);
    const Outcome outcome =
        run(star(2), flow, "none", {{"FLOW_CONTROL", "credits"}, {"CREDIT_BUFFER", buffer.c_str()}});
    const double expected_ns = 2000.0 / static_cast<double>(packets) * (83 + 2000);
    EXPECT_NEAR(to_seconds(outcome.flows[0].duration) * 1e9, expected_ns, 0.02 * expected_ns) << packets;
  }
}

TEST(PacketSimulation, EnoughCreditsCostNothing) {
  const std::vector<Flow> flow{{.source = 0, .destination = 1, .bytes = 1'000'000}};
  EXPECT_EQ(run(star(2), flow, "none", {{"FLOW_CONTROL", "credits"}}).flows, run(star(2), flow).flows);
}

// Single packets that come at random to a link that takes 83 ns for each wait rho / (2 (1 - rho)) x 83 ns.
TEST(PacketSimulation, RandomPacketsWaitAsInAnMD1Queue) {
  constexpr std::int32_t hosts = 400, packets = 20'000;
  constexpr double service_ns = 83, load = 0.7;
  std::vector<Flow> flows;
  double start_ns = 0;
  for (std::uint64_t i = 0; i < packets; ++i) {
    start_ns -= std::log(1 - draw_unit(1, 2, i)) * service_ns / load;
    const auto source = static_cast<std::int32_t>(1 + draw(1, 3, i) % (hosts - 1));
    flows.push_back({.source = source,
                     .destination = 0,
                     .bytes = 1000,
                     .start = SimTime(static_cast<std::int64_t>(start_ns * 1000))});
  }
  const Outcome outcome = run(star(hosts), flows);
  const double idle_us = (2 * 83 + 4 * 1000 + 2 * 4) / 1e3;
  const double expected_ns = load / (2 * (1 - load)) * service_ns;
  EXPECT_NEAR((mean_us(outcome) - idle_us) * 1e3, expected_ns, 0.05 * expected_ns);
}

// The last of four flows of 10 MB ends when a link of 100 Gb/s has carried all of them, headers included.
TEST(PacketSimulation, LongFlowsFillALinkAsFlowsDo) {
  for (const auto& [name, bytes, use] :
       {std::tuple{"none", 1036, 1.0}, {"dctcp", 1036, 1.0}, {"hpcc", 1078, 0.95}}) {
    const Outcome outcome = run(star(5), incast(4, 10'000'000), name);
    double last = 0;
    for (const FlowTime& flow : outcome.flows) last = std::max(last, to_seconds(flow.duration));
    const double expected = 4 * 10e3 * bytes * 8 / 100e9 / use;
    EXPECT_NEAR(last, expected, 0.03 * expected) << name;
  }
}

TEST(PacketSimulation, LostPacketsAreSentAgain) {
  Fabric fabric = star(2);
  fabric.links[1].error_rate = 0.01;
  const std::vector<Flow> flow{{.source = 0, .destination = 1, .bytes = 500'000}};
  const Outcome outcome = run(fabric, flow, "none", {{"retransmission timeout", "100"}});
  EXPECT_TRUE(outcome.unfinished.empty());
  EXPECT_GT(outcome.totals.drops, 0);
  EXPECT_GT(outcome.totals.retransmitted_bytes, 0);
  // Without a timeout, a lost last acknowledgement ends it; the run says so instead of going on.
  fabric.links[1].error_rate = 0.9;
  EXPECT_EQ(run(fabric, flow).unfinished, std::vector<std::int32_t>{0});
}

TEST(PacketSimulation, SprayingSpreadsWhatHashingCollides) {
  std::vector<Flow> flows;
  for (std::int32_t host = 0; host < 8; ++host)
    flows.push_back({.source = host, .destination = 8 + host, .bytes = 1'000'000});
  const Fabric fabric = leaf_spine(2, 8, 8);
  const double hashed = mean_us(run(fabric, flows));
  const double sprayed = mean_us(run(fabric, flows, "none", {{"ROUTING", "spray"}}));
  const double adaptive = mean_us(run(fabric, flows, "none", {{"ROUTING", "adaptive"}}));
  const double alone = mean_us(run(fabric, {flows[0]}));
  EXPECT_LT(sprayed, hashed);
  EXPECT_LE(adaptive, sprayed);
  EXPECT_NEAR(adaptive, alone, 0.1 * alone);
}

TEST(PacketSimulation, ValiantTakesADetour) {
  const Fabric fabric = leaf_spine(4, 2, 2);
  const std::vector<Flow> flow{{.source = 0, .destination = 2, .bytes = 1000}};
  const Outcome direct = run(fabric, flow), detour = run(fabric, flow, "none", {{"ROUTING", "valiant"}});
  EXPECT_TRUE(detour.unfinished.empty());
  EXPECT_GE(detour.flows[0].duration, direct.flows[0].duration);
}

TEST(PacketSimulation, RepeatsItself) {
  const auto flows = incast(12, 300'000);
  const Outcome one = run(star(13), flows, "dcqcn"), two = run(star(13), flows, "dcqcn");
  EXPECT_EQ(one.flows, two.flows);
  EXPECT_EQ(one.totals, two.totals);
}

// Random flows on a random fabric, with ends that wait for each other, against the obvious simulator.
TEST(PacketSimulation, EqualsItsSlowTwin) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto pick = [&](std::uint64_t key, std::uint64_t i, std::int32_t n) {
      return static_cast<std::int32_t>(draw(seed, key, i) % static_cast<std::uint64_t>(n));
    };
    Fabric fabric = leaf_spine(2 + pick(0, 0, 2), 2 + pick(0, 1, 3), 1 + pick(0, 2, 3));
    for (std::size_t i = 0; i < fabric.links.size(); ++i) {
      fabric.links[i].bits_per_second = (1 + pick(1, i, 4)) * 25 * gigabit;
      fabric.links[i].delay = SimTime(pick(2, i, 3000) * 1000);
    }
    const Routes routes(fabric);
    std::int32_t hosts = 0;
    while (fabric.is_host(hosts)) ++hosts;
    std::vector<Flow> flows;
    for (std::int32_t i = 0; i < 12; ++i) {
      const auto number = static_cast<std::uint64_t>(i);
      Flow flow{.source = pick(3, number, hosts), .bytes = 1 + pick(4, number, 60'000)};
      flow.destination = (flow.source + 1 + pick(5, number, hosts - 1)) % hosts;
      flow.start = SimTime(pick(6, number, 20'000) * 1000);
      if (i > 3 && pick(7, number, 3) == 0) flow.after = pick(8, number, i);
      const auto path = path_of(fabric, routes, {flow.source, flow.destination, 0, 0}, PathChoice::first);
      flow.nodes = {flow.source};
      for (const std::int32_t port : path) flow.nodes.push_back(fabric.receiver(port));
      flows.push_back(flow);
    }
    const Outcome outcome = run(fabric, flows, "none", {{"ROUTING", "minimal"}});
    // Answers go back the way that `minimal` chooses, which the twin takes for its reverse: give it the same
    // one.
    bool is_symmetric = true;
    for (const Flow& flow : flows) {
      const auto back = path_of(fabric, routes, {flow.destination, flow.source, 0, 0}, PathChoice::first);
      std::vector<std::int32_t> nodes{flow.destination};
      for (const std::int32_t port : back) nodes.push_back(fabric.receiver(port));
      is_symmetric = is_symmetric && std::equal(nodes.rbegin(), nodes.rend(), flow.nodes.begin());
    }
    ASSERT_TRUE(is_symmetric) << seed;
    EXPECT_EQ(outcome.flows, SlowTwin(fabric, flows, 1036, 48).run()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace echo::packets
