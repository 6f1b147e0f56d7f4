// DCQCN against a twin whose timers run always.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "tests/support/sanitized.hpp"
#include "tests/unit/packets/fabrics.hpp"

namespace echo::packets {
namespace {

// The three rules of the paper as they stand; alpha is brought up to date when it is read.
class Eager : public Controller {
 public:
  Eager(const Parameters& parameters, std::int32_t flows, FlowHost& host)
      : parameters_(parameters), host_(host), states_(static_cast<std::size_t>(flows)) {}

  void start(std::int32_t flow, Sender& sender) override { of(flow).target = sender.rate; }
  void acknowledge(std::int32_t flow, Sender& sender, const Acknowledgement& ack) override {
    State& state = of(flow);
    if (!ack.marked) return;
    state.is_marked = true;
    if (state.runs) {
      update(state, interval() > ack.last_link ? ack.now : ack.now - SimTime(1));
      state.raises_alpha = true;
      return;
    }
    state.runs = true;
    state.next_update = ack.now + interval();
    host_.set_timer(flow, 0, from_microseconds(parameters_.rate_decrease_interval_us) + SimTime(1000));
    sender.rate = state.target = scaled_rate(sender.rate, parameters_.rate_on_first_cnp);
  }
  void timer(std::int32_t flow, Sender& sender, std::int32_t which, SimTime now) override {
    State& state = of(flow);
    if (which == 1) {
      const double past = state.increases++ - parameters_.fast_recovery_times;
      if (past >= 0) {
        const double step = past == 0 ? parameters_.rate_ai_mbps : parameters_.rate_hai_mbps;
        state.target = std::min(state.target + rate_of_mbps(step), sender.line_rate);
      }
      sender.rate = sender.rate / 2 + state.target / 2;
      return host_.set_timer(flow, 1, from_microseconds(parameters_.rp_timer_us));
    }
    update(state, now);
    host_.set_timer(flow, 0, from_microseconds(parameters_.rate_decrease_interval_us));
    if (!state.is_marked) return;
    if (parameters_.clamp_target_rate != 0 || state.increases != 0) state.target = sender.rate;
    sender.rate =
        std::max(rate_of_mbps(parameters_.min_rate_mbps), scaled_rate(sender.rate, 1 - state.alpha / 2));
    state.increases = 0, state.is_marked = false;
    host_.set_timer(flow, 1, from_microseconds(parameters_.rp_timer_us));
  }

 private:
  struct State {
    std::int64_t target = 0;
    double alpha = 1;
    bool runs = false, is_marked = false, raises_alpha = false;
    std::int32_t increases = 0;
    SimTime next_update{};
  };
  State& of(std::int32_t flow) { return states_[static_cast<std::size_t>(flow)]; }
  [[nodiscard]] SimTime interval() const { return from_microseconds(parameters_.alpha_resume_interval_us); }
  void update(State& state, SimTime until) const {
    const double gain = parameters_.ewma_gain;
    for (; state.next_update <= until; state.next_update += interval()) {
      state.alpha = (1 - gain) * state.alpha + (state.raises_alpha ? gain : 0);
      state.raises_alpha = false;
    }
  }

  Parameters parameters_;
  FlowHost& host_;
  std::vector<State> states_;
};

const CongestionControl eager{.name = "eager",
                              .source = "",
                              .header_bytes = 0,
                              .has_telemetry = false,
                              .make = [](const Parameters& parameters, std::int32_t flows,
                                         FlowHost& host) -> std::unique_ptr<Controller> {
                                return std::make_unique<Eager>(parameters, flows, host);
                              }};

// Times in whole nanoseconds, few different delays and intervals: events often fall on one moment.
TEST(Dcqcn, TimersThatRestGiveTheOutcomeOfTimersThatAlwaysRun) {
  std::int64_t marks = 0;
  for (std::uint32_t seed = 0; seed < (support::is_sanitized ? 20U : 300U); ++seed) {
    std::mt19937 random(seed);
    const auto one_of = [&](std::initializer_list<double> values) {
      return *(values.begin() + random() % values.size());
    };
    const auto hosts = static_cast<std::int32_t>(3 + random() % 14);
    const Fabric fabric = random() % 3 == 0
                              ? leaf_spine(3, 4, 2)
                              : star(hosts, static_cast<std::int64_t>(one_of({8, 100, 400})) * gigabit,
                                     from_microseconds(one_of({0.01, 1, 4, 5})));
    std::int32_t ends = 0;
    for (std::int32_t node = 0; node < fabric.nodes(); ++node) ends += fabric.is_host(node) ? 1 : 0;
    std::vector<Flow> flows;
    for (std::uint32_t i = 0; i < 4 + random() % 20; ++i) {
      const auto from = static_cast<std::int32_t>(random() % static_cast<std::uint32_t>(ends));
      const auto to =
          random() % 2 == 0 ? 0 : static_cast<std::int32_t>(random() % static_cast<std::uint32_t>(ends));
      if (from == to) continue;
      flows.push_back({.source = from,
                       .destination = to,
                       .bytes = static_cast<std::int64_t>(1 + random() % 300) * 1000,
                       .start = SimTime(static_cast<std::int64_t>(random() % 4) * 4'000'000)});
    }
    if (flows.empty()) continue;
    Parameters parameters = default_parameters("dcqcn");
    parameters.alpha_resume_interval_us = one_of({1, 2, 55});
    parameters.rate_decrease_interval_us = one_of({1, 4, 50, 2000});
    parameters.rp_timer_us = one_of({4, 55, 300});
    parameters.clamp_target_rate = one_of({0, 1});
    if (random() % 2 == 0) set_parameter(parameters, "time resolution", "0");
    const Routes routes(fabric);
    const Outcome lazy = simulate_packets(fabric, routes, flows, control("dcqcn"), parameters);
    const Outcome twin = simulate_packets(fabric, routes, flows, eager, parameters);
    ASSERT_EQ(lazy.flows, twin.flows) << "seed " << seed;
    ASSERT_EQ(lazy.totals, twin.totals) << "seed " << seed;
    marks += lazy.totals.marks;
  }
  EXPECT_GT(marks, 500);
}

}  // namespace
}  // namespace echo::packets
