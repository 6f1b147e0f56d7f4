// TIMELY: once a round trip, from the RTT and its gradient (smoothed difference / minRTT):
//   RTT < TLow: rate += delta;  RTT > THigh: rate *= 1 - beta (1 - THigh / RTT);  else by the gradient:
//   not positive: rate += delta;  positive: rate *= 1 - beta gradient
// delta is RATE_AI, and RATE_HAI after five increases in a row.
// A difference is that of a whole round trip, so that a cut is beta RTT / minRTT times the overload: where
// round trips rest well above minRTT (they do: below TLow gradients are not looked at), cuts overshoot, and
// flows leave links idle. With minRTT near the round trips they do not (tests/unit/packets/timely_test.cpp).
// Source: Mittal et al., "TIMELY: RTT-based congestion control for the datacenter", SIGCOMM 2015; per round
// trip as in the simulator of HPCC (rdma-hw.cc).
#include <algorithm>
#include <vector>

#include "base/at.hpp"
#include "packets/flow/congestion_control.hpp"

namespace echo::packets::congestion_controls {
namespace {

class Timely : public Controller {
 public:
  Timely(const Parameters& parameters, std::int32_t flows) : parameters_(parameters), states_(at(flows)) {}

  void start(std::int32_t flow, Sender& sender) override { states_[at(flow)].rate = sender.rate; }

  void acknowledge(std::int32_t flow, Sender& sender, const Acknowledgement& ack) override {
    State& state = states_[at(flow)];
    if (ack.sequence <= state.round_end) return;
    const double rtt = static_cast<double>((ack.now - ack.sent).count()) / 1000;  // ns
    if (state.round_end != 0) update(state, sender, rtt);
    if (sender.next > state.round_end) {
      state.round_end = sender.next;
      state.last_rtt = rtt;
    }
  }

 private:
  struct State {
    std::int64_t round_end = 0, rate = 0;
    double last_rtt = 0, difference = 0;
    std::int32_t increases = 0;
  };

  // The factor of a decrease; 0 or more than 0: a decrease, negative: an increase.
  [[nodiscard]] double decrease_factor(double rtt, double gradient) const {
    constexpr double increases = -1;
    if (rtt < parameters_.timely_t_low_ns) return increases;
    if (rtt > parameters_.timely_t_high_ns)
      return 1 - parameters_.timely_beta * (1 - parameters_.timely_t_high_ns / rtt);
    if (gradient <= 0) return increases;
    return std::max(0.0, 1 - parameters_.timely_beta * gradient);
  }

  void update(State& state, Sender& sender, double rtt) const {
    const double weight = parameters_.timely_alpha;
    state.difference = (1 - weight) * state.difference + weight * (rtt - state.last_rtt);
    const double factor = decrease_factor(rtt, state.difference / parameters_.timely_min_rtt_ns);
    if (factor < 0) {
      const double step = state.increases < 5 ? parameters_.rate_ai_mbps : parameters_.rate_hai_mbps;
      sender.rate = std::min(sender.line_rate, state.rate + rate_of_mbps(step));
      ++state.increases;
    } else {
      sender.rate = std::max(rate_of_mbps(parameters_.min_rate_mbps), scaled_rate(state.rate, factor));
      state.increases = 0;
    }
    state.rate = sender.rate;
  }

  Parameters parameters_;
  std::vector<State> states_;
};

}  // namespace

extern const CongestionControl timely{
    .name = "timely",
    .source = "Mittal et al., SIGCOMM 2015; HPCC's simulator",
    .header_bytes = 8,  // the time of sending
    .has_telemetry = false,
    .make = [](const Parameters& parameters, std::int32_t flows, FlowHost&) -> std::unique_ptr<Controller> {
      return std::make_unique<Timely>(parameters, flows);
    }};

}  // namespace echo::packets::congestion_controls
