// Fixed points that papers derive for congestion controls.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/sanitized.hpp"
#include "tests/unit/packets/fabrics.hpp"

namespace echo::packets {
namespace {

struct Shared {
  double total = 0.0, fairness = 0.0;  // bits per second; Jain's index
  double marked = 0.0;                 // share of packets
};

// `flows` hosts send to one over a switch without end; from `from` to `to`.
Shared share_a_link(std::int32_t flows, const Parameters& parameters, SimTime from, SimTime to) {
  const Fabric fabric = star(flows + 1, 40 * gigabit);
  std::vector<Flow> all;
  for (std::int32_t i = 0; i < flows; ++i)
    all.push_back({.source = i, .destination = flows, .bytes = std::int64_t{1} << 40});
  const Routes routes(fabric);
  Simulation simulation(fabric, routes, all, control("dcqcn"), parameters);
  constexpr std::int64_t endless = std::int64_t{1} << 60;
  simulation.run_until(from, endless);
  std::vector<Progress> before;
  for (std::int32_t i = 0; i < flows; ++i) before.push_back(simulation.progress(i));
  const std::int64_t marks = simulation.totals().marks;
  simulation.run_until(to, endless);
  Shared shared;
  double squares = 0.0;
  for (std::int32_t i = 0; i < flows; ++i) {
    const std::int64_t bytes = simulation.progress(i).acknowledged - before[at(i)].acknowledged;
    const double rate = 8.0 * static_cast<double>(bytes) / to_seconds(to - from);
    shared.total += rate;
    squares += rate * rate;
  }
  shared.fairness = shared.total * shared.total / (flows * squares);
  const double packets = shared.total / 8.0 * to_seconds(to - from) / parameters.payload_bytes;
  shared.marked = static_cast<double>(simulation.totals().marks - marks) / packets;
  return shared;
}

// Zhu et al., "ECN or delay: lessons learnt from analysis of DCQCN and TIMELY", CoNEXT 2016: N flows share a
// link of C packets a second alike, and the share of marked packets is
//   p = cbrt(R_AI N^2 / (tau C^2) (1/B + N / (T C))^2)
// with tau the time between cuts, T that between increases, and here no byte counter (1/B = 0). It is the
// first term of a series, and comes near for many flows.
TEST(Dcqcn, RestsAtTheFixedPointOfItsFluidModel) {
  if (support::is_sanitized) GTEST_SKIP() << "two million packets";
  Parameters parameters = default_parameters("dcqcn");
  for (const Setting& one :
       {Setting{"ALPHA_RESUME_INTERVAL", "55"}, Setting{"RATE_DECREASE_INTERVAL", "50"},
        Setting{"RP_TIMER", "55"}, Setting{"FAST_RECOVERY_TIMES", "5"}, Setting{"RATE_AI", "40"},
        Setting{"RATE_HAI", "40"}, Setting{"KMIN 100G", "12.5"}, Setting{"KMAX 100G", "500"},
        Setting{"PMAX", "0.1"}, Setting{"MIN_RATE", "1"}})
    set_parameter(parameters, one.name, one.value);
  const double wire = 8.0 * parameters.wire_bytes;
  const double link = 40e9 / wire, step = 40e6 / wire, between_cuts = 50e-6, between_increases = 55e-6;
  for (const std::int32_t flows : {8, 16}) {
    const SimTime from = from_seconds(0.1), to = from_seconds(0.2);
    const Shared shared = share_a_link(flows, parameters, from, to);
    const double n = flows;
    const double marked =
        std::cbrt(step * n * n / (between_cuts * link * link) * std::pow(n / (between_increases * link), 2));
    EXPECT_NEAR(shared.total / (40e9 * parameters.payload_bytes / parameters.wire_bytes), 1.0, 0.01);
    EXPECT_GT(shared.fairness, 0.99) << flows;
    EXPECT_NEAR(shared.marked / marked, 1.0, 0.15) << flows;
  }
}

// A run that is halted and goes on is the run that is not.
TEST(PacketSimulation, HaltsChangeNothing) {
  const Fabric fabric = leaf_spine(2, 4, 1);
  std::vector<Flow> flows;
  for (std::int32_t i = 0; i < 4; ++i) flows.push_back({.source = i, .destination = 4 + i, .bytes = 500'000});
  const Routes routes(fabric);
  const Parameters parameters = default_parameters("dcqcn");
  const Outcome whole = simulate_packets(fabric, routes, flows, control("dcqcn"), parameters);
  Simulation halted(fabric, routes, flows, control("dcqcn"), parameters);
  std::int64_t halts = 0;
  while (halted.run_until(halted.now() + SimTime(7'777'777), std::int64_t{1} << 60)) ++halts;
  EXPECT_GT(halts, 5);
  const Outcome outcome = halted.take_outcome();
  EXPECT_EQ(outcome.flows, whole.flows);
  EXPECT_EQ(outcome.totals, whole.totals);
}

}  // namespace
}  // namespace echo::packets
