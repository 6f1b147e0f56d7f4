// TIMELY against its paper's algorithm, and against a recursion of it over one link.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "tests/support/sanitized.hpp"
#include "tests/unit/packets/fabrics.hpp"

namespace echo::packets {
namespace {

// Algorithm 1 of Mittal et al., SIGCOMM 2015, in double precision: the rate after one more round trip. As in
// HPCC's simulator, five increases of any kind in a row begin the hyper increase; the paper counts those with
// a gradient that is not positive.
struct Algorithm {
  double low, high, scale;               // seconds
  double step, hyper_step, least, line;  // bits per second
  double rate = 0.0, difference = 0.0, before = -1.0;
  int increases = 0;

  void round(double rtt) {
    constexpr double alpha = 0.875, beta = 0.8;
    if (before >= 0.0) {
      difference = (1.0 - alpha) * difference + alpha * (rtt - before);
      const double gradient = difference / scale;
      if (rtt < low || (rtt <= high && gradient <= 0.0)) {
        rate = std::min(line, rate + (increases < 5 ? step : hyper_step));
        ++increases;
      } else {
        const double share = rtt > high ? 1.0 - high / rtt : gradient;
        rate = std::max(least, rate * std::max(0.0, 1.0 - beta * share));
        increases = 0;
      }
    }
    before = rtt;
  }
};

struct Case {
  double step, hyper_step, scale_us, least;  // Mb/s, Mb/s, us, Mb/s
};

Parameters parameters_of(const Case& one) {
  Parameters parameters = default_parameters("timely");
  parameters.rate_ai_mbps = one.step, parameters.rate_hai_mbps = one.hyper_step;
  parameters.timely_min_rtt_ns = 1000.0 * one.scale_us, parameters.min_rate_mbps = one.least;
  return parameters;
}

Algorithm algorithm_of(const Case& one, double line) {
  return {.low = 50e-6,
          .high = 500e-6,
          .scale = 1e-6 * one.scale_us,
          .step = 1e6 * one.step,
          .hyper_step = 1e6 * one.hyper_step,
          .least = 1e6 * one.least,
          .line = line,
          .rate = line};
}

class NoHost : public FlowHost {
  void set_timer(std::int32_t, std::int32_t, SimTime) override {}
  void set_timer_since(std::int32_t, std::int32_t, SimTime, SimTime) override {}
  void cancel_timer(std::int32_t, std::int32_t) override {}
  void change_rate(std::int32_t, std::int64_t) override {}
};

TEST(Timely, FollowsItsAlgorithmWhateverTheRoundTripsAre) {
  const Case one{100, 500, 20, 1000};
  for (unsigned seed = 1; seed <= 20; ++seed) {
    NoHost host;
    const auto controller = control("timely").make(parameters_of(one), 1, host);
    Algorithm algorithm = algorithm_of(one, 100e9);
    Sender sender{.bytes = 1 << 30, .rate = 100 * gigabit, .line_rate = 100 * gigabit};
    controller->start(0, sender);
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> exponent(3.5, 6.0);  // 3 us to 1 ms
    double rtt = 1e4;
    for (int round = 1; round <= 300; ++round) {
      if (random() % 4 == 0) rtt = std::pow(10.0, exponent(random));
      rtt *= 0.9 + 0.2 * static_cast<double>(random() % 1000) / 1000.0;
      const SimTime sent(round * 1'000'000'000LL), trip(std::llround(1000.0 * rtt));
      const std::int64_t answered = sender.next + 1000;  // of a packet after the last round
      sender.next = answered + 50'000;
      controller->acknowledge(0, sender, {.sequence = answered, .now = sent + trip, .sent = sent});
      algorithm.round(1e-12 * static_cast<double>(trip.count()));
      ASSERT_NEAR(static_cast<double>(sender.rate), algorithm.rate, 1e-6 * algorithm.rate)
          << "seed " << seed << ", round " << round;
    }
  }
}

// Share of a link that flows alike leave used, by the recursion of one round: a packet goes out after the
// pacing gap, waits behind q bits and is answered, rtt = D + q / C; meanwhile the queue grows by
// (n R - C) dt. Then the rate follows the algorithm. Packets, and flows that differ, are neglected.
double by_recursion(const Case& one, double link, double idle, double wire_bits, SimTime until) {
  Algorithm flow = algorithm_of(one, link);
  constexpr double flows = 2.0;
  double queue = 0.0, carried = 0.0, time = 0.0;
  const auto pass = [&](double seconds) {
    const double net = flows * flow.rate - link;
    const double busy = net >= 0.0 ? seconds : std::min(seconds, queue / -net);
    carried += link * busy + flows * flow.rate * (seconds - busy);
    queue = std::max(0.0, queue + net * seconds);
    time += seconds;
  };
  while (time < to_seconds(until)) {
    pass(wire_bits / flow.rate);
    const double rtt = idle + queue / link;
    pass(rtt);
    flow.round(rtt);
  }
  return carried / link / time;
}

double by_packets(const Case& one, std::int64_t link, SimTime until) {
  const Parameters parameters = parameters_of(one);
  const Fabric fabric = star(3, link);
  const std::vector<Flow> flows{{.source = 0, .destination = 2, .bytes = std::int64_t{1} << 40},
                                {.source = 1, .destination = 2, .bytes = std::int64_t{1} << 40}};
  const Routes routes(fabric);
  Simulation simulation(fabric, routes, flows, control("timely"), parameters);
  simulation.run_until(until, std::int64_t{1} << 60);
  const double bytes =
      static_cast<double>(simulation.progress(0).acknowledged + simulation.progress(1).acknowledged);
  const double wire = (parameters.wire_bytes + 8.0) / parameters.payload_bytes;
  return 8.0 * bytes * wire / to_seconds(until) / static_cast<double>(link);
}

// Once a round trip the rate is cut by beta times the overload times rtt / minRTT. Round trips below TLow are
// not looked at, so that rtt > TLow = 50 us and with minRTT = 20 us a cut overshoots: two flows leave a tenth
// of a link of 10 Gb/s idle while MIN_RATE holds them up, two thirds where it does not, and nothing where
// minRTT is as long as the round trips. Zhu et al., CoNEXT 2016, section 4: TIMELY has no fixed point.
TEST(Timely, LeavesAsMuchOfALinkIdleAsItsRecursionSays) {
  if (support::is_sanitized) GTEST_SKIP() << "ten million packets";
  constexpr std::int64_t link = 10 * gigabit;
  const double packet = 8.0 * 1044, answer = 8.0 * 48, rate = static_cast<double>(link);
  const double idle = 4e-6 + 2.0 * (packet + answer) / rate;
  const SimTime until = from_seconds(1.0);
  struct Expected {
    Case one;
    double least, most;
  };
  for (const auto& [one, least, most] : {Expected{{100, 500, 20, 1000}, 0.80, 0.95},
                                         {{100, 500, 20, 10}, 0.2, 0.4},
                                         {{10, 10, 20, 1000}, 0.85, 1.0},
                                         {{10, 10, 100, 10}, 0.97, 1.0}}) {
    const double packets = by_packets(one, link, until),
                 recursion = by_recursion(one, rate, idle, packet, until);
    EXPECT_NEAR(packets, recursion, 0.04) << one.scale_us;
    EXPECT_GT(packets, least) << one.scale_us << ", " << one.least;
    EXPECT_LT(packets, most) << one.scale_us << ", " << one.least;
  }
}

}  // namespace
}  // namespace echo::packets
