// Fabrics of flits: closed forms at no load, credits, allocators, traffic and paths.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/counter_rng.hpp"
#include "base/error.hpp"
#include "base/named_table.hpp"
#include "packets/flits/flit_simulation.hpp"

namespace echo::packets {
namespace {

std::unique_ptr<FlitTopology> topology(std::string_view name) {
  for (const TopologyFamily* family : flit_topology_table())
    if (auto made = family->make(name)) return made;
  return nullptr;
}

const TrafficPattern& traffic(std::string_view name) {
  return traffic_table()[static_cast<std::size_t>(find_named(traffic_table(), name))];
}

FlitOutcome run(const char* name, const char* pattern, FlitSettings settings) {
  return simulate_flits(*topology(name), traffic(pattern), settings);
}

constexpr const char* names[] = {"mesh4x4",      "mesh4x4_adaptive", "torus4x4",
                                 "fattree_k2n3", "flatfly_c4k3n2",   "dragonfly_p2"};

class Empty : public Fullness {
 public:
  [[nodiscard]] std::int32_t used(std::int32_t) const override { return 0; }
};

TEST(FlitTopologies, HaveOneChannelAtEveryPortAtMost) {
  for (const char* name : names) {
    const auto fabric = topology(name);
    ASSERT_NE(fabric, nullptr) << name;
    std::set<std::pair<std::int32_t, std::int32_t>> outs, ins;
    for (const Channel& channel : fabric->channels) {
      const bool is_new_out = channel.from < 0 || outs.emplace(channel.from, channel.from_port).second;
      const bool is_new_in = channel.to < 0 || ins.emplace(channel.to, channel.to_port).second;
      EXPECT_TRUE(is_new_out && is_new_in) << name;
    }
    EXPECT_EQ(outs, ins) << name;  // every port leads both ways
  }
}

TEST(FlitTopologies, RouteEveryPairWithinTheirDiameter) {
  for (const char* name : names) {
    const auto fabric = topology(name);
    std::map<std::pair<std::int32_t, std::int32_t>, Channel> by_port;
    std::vector<Channel> injection(static_cast<std::size_t>(fabric->nodes));
    for (const Channel& channel : fabric->channels) {
      if (channel.from >= 0)
        by_port[{channel.from, channel.from_port}] = channel;
      else
        injection[static_cast<std::size_t>(channel.node)] = channel;
    }
    Draws draws(1);
    for (std::int32_t source = 0; source < fabric->nodes; ++source)
      for (std::int32_t destination = 0; destination < fabric->nodes; ++destination) {
        RoutedPacket packet{source, destination, 0};
        Channel channel = injection[static_cast<std::size_t>(source)];
        std::int32_t virtual_channel = 0;
        for (int hops = 0; channel.to >= 0; ++hops) {
          ASSERT_LT(hops, 9) << name << " " << source << " " << destination;
          const Route route =
              fabric->route(channel.to, channel.to_port, virtual_channel, 4, packet, draws, Empty());
          ASSERT_TRUE(route.first_channel >= 0 && route.first_channel <= route.last_channel &&
                      route.last_channel < 4);
          virtual_channel = route.first_channel;
          channel = by_port.at({channel.to, route.port});
        }
        EXPECT_EQ(channel.node, destination) << name;
      }
  }
}

// A hop takes four cycles and its channel; a packet of one flit through h routers 5 h + 2 cycles, each
// further flit one more.
TEST(FlitSimulation, IdleNetworkTakesTheClosedForm) {
  for (const double flits : {1.0, 5.0}) {
    FlitSettings settings;
    settings.injection_rate = 0.002;
    settings.packet_flits = flits;
    const FlitOutcome outcome = run("mesh4x4", "uniform", settings);
    ASSERT_TRUE(outcome.is_stable);
    EXPECT_EQ(outcome.least_packet_latency, 7 + flits - 1);
    EXPECT_NEAR(outcome.packet_latency, 5 * outcome.hops + 2 + flits - 1, 0.2);
  }
}

TEST(FlitSimulation, RoutingAheadSavesACycleAHop) {
  FlitSettings settings;
  settings.injection_rate = 0.002;
  settings.routing_delay = 0;
  const FlitOutcome outcome = run("torus4x4", "uniform", settings);
  EXPECT_NEAR(outcome.packet_latency, 4 * outcome.hops + 2, 0.2);
}

// A flit's place is free again five cycles after it was given: a channel of b places carries b / 5 flits in a
// cycle.
TEST(FlitSimulation, CreditsBoundTheRateByBufferOverRoundTrip) {
  for (const double buffer : {1.0, 2.0, 3.0, 4.0}) {
    FlitSettings settings;
    settings.virtual_channels = 1;
    settings.buffer_flits = buffer;
    settings.packet_flits = 500;
    settings.injection_rate = 500;  // a packet waits at every node at all times
    settings.seeks_throughput = true;
    const FlitOutcome outcome = run("mesh2x2", "transpose", settings);
    EXPECT_NEAR(outcome.least_accepted_rate, buffer / 5, 0.03 * buffer / 5) << buffer;
  }
}

TEST(FlitSimulation, AcceptsWhatIsOfferedBelowSaturation) {
  for (const char* name : names) {
    FlitSettings settings;
    settings.injection_rate = 0.1;
    settings.buffer_flits = 64;  // for the long channels of the dragonfly
    const FlitOutcome outcome = run(name, "uniform", settings);
    EXPECT_TRUE(outcome.is_stable) << name;
    EXPECT_NEAR(outcome.accepted_rate, 0.1, 0.005) << name;
  }
}

TEST(FlitSimulation, FindsARateBeyondSaturationUnstable) {
  FlitSettings settings;
  settings.injection_rate = 0.9;
  EXPECT_FALSE(run("mesh4x4", "uniform", settings).is_stable);
}

TEST(FlitSimulation, RepeatsItself) {
  const FlitSettings settings;
  EXPECT_EQ(run("fattree_k2n3", "uniform", settings), run("fattree_k2n3", "uniform", settings));
}

// Every output takes the first free input behind its pointer, tried one by one.
TEST(Islip, EqualsItsSlowTwin) {
  constexpr std::int32_t n = 7;
  Islip allocator(n, n);
  std::vector<std::int32_t> input_pointer(n), output_pointer(n);
  for (std::uint64_t round = 0; round < 2000; ++round) {
    std::vector<std::vector<bool>> asks(n, std::vector<bool>(n));
    allocator.clear();
    for (std::uint64_t i = 0; i < n * n; ++i)
      if (draw(3, round, i) % 4 == 0) {
        asks[i / n][i % n] = true;
        allocator.request(static_cast<std::int32_t>(i / n), static_cast<std::int32_t>(i % n));
      }
    allocator.match(1);
    std::vector<std::int32_t> grant(n, -1), match(n, -1);
    for (std::size_t output = 0; output < n; ++output)
      for (std::int32_t turn = n - 1; turn >= 0; --turn) {
        const std::int32_t input = (output_pointer[output] + turn) % n;
        if (asks[static_cast<std::size_t>(input)][output]) grant[output] = input;
      }
    for (std::int32_t input = 0; input < n; ++input)
      for (std::int32_t turn = n - 1; turn >= 0; --turn) {
        const std::int32_t output = (input_pointer[static_cast<std::size_t>(input)] + turn) % n;
        if (grant[static_cast<std::size_t>(output)] == input) match[static_cast<std::size_t>(input)] = output;
      }
    for (std::int32_t input = 0; input < n; ++input) {
      const std::int32_t output = match[static_cast<std::size_t>(input)];
      bool has_asked = false;
      for (std::size_t i = 0; i < n; ++i) has_asked = has_asked || asks[static_cast<std::size_t>(input)][i];
      if (has_asked) {
        ASSERT_EQ(allocator.output_of(input), output) << round;
      }
      if (output < 0) continue;
      output_pointer[static_cast<std::size_t>(output)] = (input + 1) % n;
      input_pointer[static_cast<std::size_t>(input)] = (output + 1) % n;
    }
  }
}

TEST(Traffic, PermutationsAreOnes) {
  const auto fabric = topology("mesh8x8");
  Draws draws(1);
  for (const TrafficPattern& pattern : traffic_table()) {
    EXPECT_EQ(pattern.refusal(*fabric), "");
    if (std::string_view(pattern.name) == "uniform") continue;
    std::set<std::int32_t> reached;
    for (std::int32_t source = 0; source < 64; ++source)
      reached.insert(pattern.destination(source, *fabric, draws));
    EXPECT_EQ(reached.size(), 64U) << pattern.name;
  }
  EXPECT_EQ(traffic("tornado").destination(0, *fabric, draws), 3 + 8 * 3);
  EXPECT_EQ(traffic("transpose").destination(1, *fabric, draws), 8);
  EXPECT_NE(traffic("transpose").refusal(*topology("dragonfly_p2")), "");
}

TEST(FlitSettings, RefuseWhatTheyDoNotKnow) {
  FlitSettings settings;
  EXPECT_THROW(set_flit_setting(settings, "num_vc", "4"), UserError);
  EXPECT_THROW(set_flit_setting(settings, "num_vcs", "0"), UserError);
  EXPECT_THROW(set_flit_setting(settings, "num_vcs", "1.5"), UserError);
  set_flit_setting(settings, "num_vcs", "8");
  EXPECT_EQ(settings.virtual_channels, 8);
}

}  // namespace
}  // namespace echo::packets
