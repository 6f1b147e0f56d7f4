// DCTCP as a rate. Once a round trip, alpha = (1 - g) alpha + g [share of marked packets]; the first mark of
// a round trip cuts the rate by alpha / 2, a round trip without one adds DCTCP_RATE_AI. The window follows
// the rate. Source: Alizadeh et al., "Data center TCP", SIGCOMM 2010; on RDMA as in the simulator of HPCC
// (rdma-hw.cc). Neglected: slow start; flows begin at the line rate.
#include <algorithm>
#include <vector>

#include "base/at.hpp"
#include "packets/flow/congestion_control.hpp"

namespace echo::packets::congestion_controls {
namespace {

class Dctcp : public Controller {
 public:
  Dctcp(const Parameters& parameters, std::int32_t flows) : parameters_(parameters), states_(at(flows)) {}

  void start(std::int32_t, Sender&) override {}

  void acknowledge(std::int32_t flow, Sender& sender, const Acknowledgement& ack) override {
    State& state = states_[at(flow)];
    if (ack.marked) ++state.marks;
    const bool is_new_round = ack.sequence > state.round_end;
    if (is_new_round) end_round(state, sender, ack.sequence);
    if (state.is_reduced && ack.sequence > state.reduced_until) state.is_reduced = false;
    if (ack.marked && !state.is_reduced) {
      sender.rate =
          std::max(rate_of_mbps(parameters_.min_rate_mbps), scaled_rate(sender.rate, 1 - state.alpha / 2));
      state.is_reduced = true;
      state.reduced_until = sender.next;
    }
    if (!state.is_reduced && is_new_round)
      sender.rate = std::min(sender.line_rate, sender.rate + rate_of_mbps(parameters_.dctcp_rate_ai_mbps));
  }

 private:
  struct State {
    std::int64_t round_end = 0, reduced_until = 0, marks = 0, packets_of_round = 0;
    double alpha = 1;
    bool is_reduced = false;
  };

  void end_round(State& state, const Sender& sender, std::int64_t sequence) const {
    const auto payload = static_cast<std::int64_t>(parameters_.payload_bytes);
    if (state.round_end == 0) {
      state.packets_of_round = sender.next / payload + 1;
    } else {
      const double share =
          std::min(1.0, static_cast<double>(state.marks) / static_cast<double>(state.packets_of_round));
      state.alpha = (1 - parameters_.ewma_gain) * state.alpha + parameters_.ewma_gain * share;
      state.marks = 0;
      state.packets_of_round = (sender.next - sequence) / payload + 1;
    }
    state.round_end = sender.next;
  }

  Parameters parameters_;
  std::vector<State> states_;
};

}  // namespace

extern const CongestionControl dctcp{
    .name = "dctcp",
    .source = "Alizadeh et al., SIGCOMM 2010; HPCC's simulator",
    .header_bytes = 0,
    .has_telemetry = false,
    .make = [](const Parameters& parameters, std::int32_t flows, FlowHost&) -> std::unique_ptr<Controller> {
      return std::make_unique<Dctcp>(parameters, flows);
    }};

}  // namespace echo::packets::congestion_controls
