// HPCC: every switch writes its queue length, transmitted bytes and time into packets; acknowledgements bring
// them back. The sender takes the busiest link's utilisation over a base RTT T,
//   u_j = txRate_j / B_j + min(q_j, q_j before) / (B_j T),   U = (1 - tau / T) U + (tau / T) max_j u_j
// and sets rate = reference eta / U + W_AI where U >= eta or MI_THRESH additive steps have passed, else
// reference + W_AI. The reference rate moves once a round trip; in between FAST_REACT computes from the same
// one. MULTI_RATE keeps U and the reference for each hop, and takes the least rate. Source: Li et al., "HPCC:
// high precision congestion control", SIGCOMM 2019; fields of the telemetry and order of the steps as in its
// simulator (rdma-hw.cc, int-header.h).
#include <algorithm>
#include <array>
#include <vector>

#include "base/at.hpp"
#include "packets/flow/congestion_control.hpp"

namespace echo::packets::congestion_controls {
namespace {

constexpr std::uint32_t time_bits = 24, byte_bits = 20;
constexpr std::int64_t byte_unit = 128, queue_unit = 80;

constexpr std::uint32_t difference(std::uint32_t now, std::uint32_t before, std::uint32_t bits) {
  return (now - before) & ((1U << bits) - 1);
}

class Hpcc : public Controller {
 public:
  Hpcc(const Parameters& parameters, std::int32_t flows, FlowHost& host)
      : parameters_(parameters), host_(host), states_(at(flows)) {}

  void start(std::int32_t flow, Sender& sender) override {
    states_[at(flow)].whole.rate = sender.rate;
    for (Reference& hop : states_[at(flow)].of_hop) hop.rate = sender.rate;
  }

  void acknowledge(std::int32_t flow, Sender& sender, const Acknowledgement& ack) override {
    State& state = states_[at(flow)];
    const bool is_new_round = ack.sequence > state.round_end;
    if (state.round_end == 0) {  // the first telemetry
      std::copy(ack.hops.begin(), ack.hops.end(), state.seen.begin());
      state.round_end = sender.next;
      return;
    }
    if (!is_new_round && parameters_.fast_react == 0) return;
    update(flow, state, sender, ack, !is_new_round);
    if (is_new_round) state.round_end = std::max(state.round_end, sender.next);
  }

 private:
  struct Reference {
    std::int64_t rate = 0;
    double utilisation = 1;
    std::int32_t stage = 0;  // additive increases in a row
  };
  struct State {
    std::int64_t round_end = 0;
    Telemetry seen{};
    Reference whole;
    std::array<Reference, most_telemetry_hops> of_hop;
  };
  // u and tau (ns) of a link.
  struct Use {
    double utilisation = 0, nanoseconds = 0;
  };

  [[nodiscard]] Use use_of(const HopTelemetry& now, const HopTelemetry& before, const Sender& sender) const {
    const auto multi = static_cast<std::int64_t>(parameters_.int_multi);
    const double tau = std::max(1U, difference(now.nanoseconds, before.nanoseconds, time_bits));
    const double bytes =
        static_cast<double>(difference(now.byte_units, before.byte_units, byte_bits) * byte_unit * multi);
    const double queue =
        static_cast<double>(std::min(now.queue_units, before.queue_units) * queue_unit * multi);
    const auto line = static_cast<double>(now.bits_per_second);
    const double window = sender.window != 0
                              ? static_cast<double>(sender.window)
                              : static_cast<double>(sender.line_rate) / 8 * to_seconds(sender.base_rtt);
    return {bytes * 8 / (tau * 1e-9) / line + queue * static_cast<double>(sender.line_rate) / line / window,
            tau};
  }

  // The share of a base RTT that `use` covers counts, the rest is what was known.
  static void smooth(Reference& reference, const Use& use, const Sender& sender) {
    const double rtt = static_cast<double>(sender.base_rtt.count()) / 1000;
    const double tau = std::min(use.nanoseconds, rtt);
    reference.utilisation = (reference.utilisation * (rtt - tau) + use.utilisation * tau) / rtt;
  }

  [[nodiscard]] Reference next_of(const Reference& reference, const Sender& sender) const {
    const double congestion = reference.utilisation / parameters_.u_target;
    const std::int64_t step = rate_of_mbps(parameters_.rate_ai_mbps);
    Reference next = reference;
    if (congestion >= 1 || reference.stage >= parameters_.mi_thresh) {
      const double most = static_cast<double>(sender.line_rate);
      next.rate =
          static_cast<std::int64_t>(std::min(most, static_cast<double>(reference.rate) / congestion)) + step;
      next.stage = 0;
    } else {
      next.rate = reference.rate + step;
      ++next.stage;
    }
    next.rate = std::clamp(next.rate, std::min(rate_of_mbps(parameters_.min_rate_mbps), sender.line_rate),
                           sender.line_rate);
    return next;
  }

  // The rates of single hops; those without news keep theirs.
  [[nodiscard]] std::int64_t least_rate(State& state, const Sender& sender, std::size_t hops,
                                        const std::array<bool, most_telemetry_hops>& has_news,
                                        bool within_round) const {
    std::int64_t rate = sender.line_rate;
    for (std::size_t i = 0; i < hops; ++i) {
      Reference& hop = state.of_hop[i];
      const Reference next = has_news[i] ? next_of(hop, sender) : hop;
      rate = std::min(rate, next.rate);
      if (!within_round) hop = next;
    }
    return rate;
  }

  void update(std::int32_t flow, State& state, Sender& sender, const Acknowledgement& ack,
              bool within_round) {
    Use busiest;
    std::array<bool, most_telemetry_hops> has_news{};
    bool has_any = false;
    for (std::size_t i = 0; i < ack.hops.size(); ++i) {
      if (parameters_.sample_feedback != 0 && within_round && ack.hops[i].queue_units == 0) continue;
      has_news[i] = has_any = true;
      const Use use = use_of(ack.hops[i], state.seen[i], sender);
      if (use.utilisation > busiest.utilisation) busiest = use;
      if (parameters_.multi_rate != 0) smooth(state.of_hop[i], use, sender);
      state.seen[i] = ack.hops[i];
    }
    if (!has_any) return;
    if (parameters_.multi_rate != 0) {
      host_.change_rate(flow, least_rate(state, sender, ack.hops.size(), has_news, within_round));
      return;
    }
    smooth(state.whole, busiest, sender);
    const Reference next = next_of(state.whole, sender);
    host_.change_rate(flow, next.rate);
    if (!within_round) state.whole = next;
  }

  Parameters parameters_;
  FlowHost& host_;
  std::vector<State> states_;
};

}  // namespace

extern const CongestionControl hpcc{.name = "hpcc",
                                    .source = "Li et al., SIGCOMM 2019",
                                    .header_bytes = 42,  // five hops of 8 bytes, and their number
                                    .has_telemetry = true,
                                    .make = [](const Parameters& parameters, std::int32_t flows,
                                               FlowHost& host) -> std::unique_ptr<Controller> {
                                      return std::make_unique<Hpcc>(parameters, flows, host);
                                    }};

}  // namespace echo::packets::congestion_controls
