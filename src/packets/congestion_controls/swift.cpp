// Swift: a window of packets that follows the delay of the fabric.
//   target = base + hops x hop + max(0, min(a / sqrt(window) + b, range)), which scales with few packets
//   delay < target: window += ai / window a packet;  else, once a round trip at most,
//   window *= max(1 - beta (delay - target) / delay, 1 - max_mdf)
// A window below one packet is one packet, paced at window / RTT.
// Source: Kumar et al., "Swift: delay is simple and effective for congestion control in the datacenter",
// SIGCOMM 2020, section 3; a and b so that the flow term is `range` at 0.1 packets and 0 at 100. Neglected:
// the delay of the end host, which this simulator does not have.
#include <algorithm>
#include <cmath>
#include <vector>

#include "base/at.hpp"
#include "packets/flow/congestion_control.hpp"

namespace echo::packets::congestion_controls {
namespace {

constexpr double least_window = 0.1, most_scaled_window = 100, most_window = 1e6;  // packets

class Swift : public Controller {
 public:
  Swift(const Parameters& parameters, std::int32_t flows) : parameters_(parameters), states_(at(flows)) {}

  // Begins with the bytes of a base round trip.
  void start(std::int32_t flow, Sender& sender) override {
    State& state = states_[at(flow)];
    const double bytes = static_cast<double>(sender.rate) / 8 * to_seconds(sender.base_rtt);
    state.window = std::max(1.0, bytes / parameters_.payload_bytes);
    apply(state, sender, to_microseconds(sender.base_rtt));
  }

  void acknowledge(std::int32_t flow, Sender& sender, const Acknowledgement& ack) override {
    State& state = states_[at(flow)];
    const double rtt = to_microseconds(ack.now - ack.sent);
    const double target = target_delay(state.window, sender.hops);
    const double packets =
        static_cast<double>(ack.sequence - state.last_sequence) / parameters_.payload_bytes;
    if (rtt < target) {
      state.window += parameters_.swift_ai_packets * packets / std::max(1.0, state.window);
    } else if (ack.now - state.last_decrease >= SimTime(std::llround(rtt * 1e6))) {
      state.window *=
          std::max(1 - parameters_.swift_beta * (rtt - target) / rtt, 1 - parameters_.swift_max_mdf);
      state.last_decrease = ack.now;
    }
    state.last_sequence = ack.sequence;
    apply(state, sender, rtt);
  }

 private:
  struct State {
    double window = 1;  // packets
    std::int64_t last_sequence = 0;
    SimTime last_decrease{};
  };

  [[nodiscard]] double target_delay(double window, std::int32_t hops) const {
    const double range = parameters_.swift_flow_range_us;
    const double a = range / (1 / std::sqrt(least_window) - 1 / std::sqrt(most_scaled_window));
    const double flow = a / std::sqrt(window) - a / std::sqrt(most_scaled_window);
    return parameters_.swift_base_target_us + parameters_.swift_hop_us * hops + std::clamp(flow, 0.0, range);
  }

  void apply(State& state, Sender& sender, double rtt) const {
    state.window = std::clamp(state.window, least_window, most_window);
    sender.window = static_cast<std::int64_t>(std::max(1.0, state.window) * parameters_.payload_bytes);
    sender.rate = sender.line_rate;
    if (state.window >= 1) return;
    const double paced = state.window * parameters_.payload_bytes * 8 / (rtt * 1e-6);
    sender.rate = std::clamp(static_cast<std::int64_t>(paced), std::int64_t{1'000'000}, sender.line_rate);
  }

  Parameters parameters_;
  std::vector<State> states_;
};

}  // namespace

extern const CongestionControl swift{
    .name = "swift",
    .source = "Kumar et al., SIGCOMM 2020",
    .header_bytes = 8,  // the time of sending
    .has_telemetry = false,
    .make = [](const Parameters& parameters, std::int32_t flows, FlowHost&) -> std::unique_ptr<Controller> {
      return std::make_unique<Swift>(parameters, flows);
    }};

}  // namespace echo::packets::congestion_controls
