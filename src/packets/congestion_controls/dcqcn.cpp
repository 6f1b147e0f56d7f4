// DCQCN as network cards of Mellanox run it. The receiver copies marks into its acknowledgements. From the
// first mark on, three timers run:
//   every ALPHA_RESUME_INTERVAL:   alpha = (1 - g) alpha + g [marked since]
//   every RATE_DECREASE_INTERVAL:  if marked since, target = rate, rate *= 1 - alpha / 2
//   every RP_TIMER since a cut:    target += 0, RATE_AI or RATE_HAI (fast recovery, additive, hyper),
//                                  rate = (rate + target) / 2
// The target is kept where a cut follows a cut without an increase between, unless CLAMP_TARGET_RATE.
// Source: Zhu et al., "Congestion control for large-scale RDMA deployments", SIGCOMM 2015; the timers as in
// the simulator of HPCC (rdma-hw.cc). Neglected: the byte counter of the paper, which that simulator lacks
// too.
#include <algorithm>
#include <vector>

#include "base/at.hpp"
#include "packets/flow/congestion_control.hpp"

namespace echo::packets::congestion_controls {
namespace {

enum Timer : std::int32_t { decrease_timer, increase_timer };

class Dcqcn : public Controller {
 public:
  Dcqcn(const Parameters& parameters, std::int32_t flows, FlowHost& host)
      : parameters_(parameters),
        host_(host),
        states_(at(flows)),
        alpha_interval_(from_microseconds(parameters.alpha_resume_interval_us)),
        decrease_interval_(from_microseconds(parameters.rate_decrease_interval_us)) {}

  [[nodiscard]] SimTime looks_back() const override { return is_lazy() ? decrease_interval_ : SimTime{}; }

  void start(std::int32_t flow, Sender& sender) override { states_[at(flow)].target = sender.rate; }

  void acknowledge(std::int32_t flow, Sender& sender, const Acknowledgement& ack) override {
    if (!ack.marked) return;
    State& state = states_[at(flow)];
    state.marked_for_decrease = true;
    if (state.has_seen_mark) {
      // An update that is due now comes first if it was due before the last switch sent the packet.
      update_alpha(state, alpha_interval_ > ack.last_link ? ack.now : ack.now - SimTime(1));
      state.marked_for_alpha = true;
      await_decrease(flow, state, decrease_interval_ > ack.last_link ? ack.now + SimTime(1) : ack.now,
                     ack.now);
      return;
    }
    state.has_seen_mark = true;
    state.next_update = ack.now + alpha_interval_;
    // A nanosecond later, so that cuts find alpha updated.
    state.next_decrease = ack.now + decrease_interval_ + SimTime(1000);
    state.awaits_decrease = true;
    host_.set_timer(flow, decrease_timer, state.next_decrease - ack.now);
    sender.rate = state.target = scaled_rate(sender.rate, parameters_.rate_on_first_cnp);
  }

  void timer(std::int32_t flow, Sender& sender, std::int32_t which, SimTime now) override {
    State& state = states_[at(flow)];
    if (which == increase_timer) return increase(flow, state, sender);
    update_alpha(state, now);
    decrease(flow, state, sender, now);
  }

 private:
  struct State {
    std::int64_t target = 0;
    double alpha = 1;
    bool has_seen_mark = false, marked_for_alpha = false, marked_for_decrease = false;
    std::int32_t stage = 0;  // increases since the last cut
    SimTime next_update{};   // of alpha
    SimTime next_decrease{};
    bool awaits_decrease = false;  // its timer is set
  };

  // All updates up to `until`: nothing reads alpha between them.
  void update_alpha(State& state, SimTime until) const {
    if (state.next_update > until) return;
    const double gain = parameters_.ewma_gain, kept = 1 - gain;
    state.alpha = kept * state.alpha + (state.marked_for_alpha ? gain : 0);
    state.marked_for_alpha = false;
    const std::int64_t more = (until - state.next_update) / alpha_interval_;
    for (std::int64_t i = 0; i < more; ++i) state.alpha *= kept;
    state.next_update += (more + 1) * alpha_interval_;
  }

  // Long intervals would fill the host's memory of its order, and save little.
  [[nodiscard]] bool is_lazy() const { return decrease_interval_ <= SimTime(1'000'000'000); }

  // The timer that ends each interval does nothing where no mark came, which at low rates is nearly always:
  // it is set when one comes, for the first end from `earliest` on.
  void await_decrease(std::int32_t flow, State& state, SimTime earliest, SimTime now) {
    if (state.awaits_decrease) return;
    if (state.next_decrease < earliest) {
      const std::int64_t passed = (earliest - state.next_decrease - SimTime(1)) / decrease_interval_ + 1;
      state.next_decrease += passed * decrease_interval_;
    }
    state.awaits_decrease = true;
    host_.set_timer_since(flow, decrease_timer, state.next_decrease - now,
                          state.next_decrease - decrease_interval_);
  }

  void decrease(std::int32_t flow, State& state, Sender& sender, SimTime now) {
    state.next_decrease = now + decrease_interval_;
    state.awaits_decrease = !is_lazy();
    if (state.awaits_decrease) host_.set_timer(flow, decrease_timer, decrease_interval_);
    if (!state.marked_for_decrease) return;
    if (parameters_.clamp_target_rate != 0 || state.stage != 0) state.target = sender.rate;
    sender.rate =
        std::max(rate_of_mbps(parameters_.min_rate_mbps), scaled_rate(sender.rate, 1 - state.alpha / 2));
    state.stage = 0;
    state.marked_for_decrease = false;
    host_.set_timer(flow, increase_timer, from_microseconds(parameters_.rp_timer_us));
  }

  void increase(std::int32_t flow, State& state, Sender& sender) {
    host_.set_timer(flow, increase_timer, from_microseconds(parameters_.rp_timer_us));
    if (state.stage == parameters_.fast_recovery_times)
      state.target += rate_of_mbps(parameters_.rate_ai_mbps);
    else if (state.stage > parameters_.fast_recovery_times)
      state.target += rate_of_mbps(parameters_.rate_hai_mbps);
    if (state.stage >= parameters_.fast_recovery_times)
      state.target = std::min(state.target, sender.line_rate);
    sender.rate = sender.rate / 2 + state.target / 2;
    ++state.stage;
  }

  Parameters parameters_;
  FlowHost& host_;
  std::vector<State> states_;
  SimTime alpha_interval_, decrease_interval_;
};

}  // namespace

extern const CongestionControl dcqcn{.name = "dcqcn",
                                     .source = "Zhu et al., SIGCOMM 2015; HPCC's simulator",
                                     .header_bytes = 0,
                                     .has_telemetry = false,
                                     .make = [](const Parameters& parameters, std::int32_t flows,
                                                FlowHost& host) -> std::unique_ptr<Controller> {
                                       return std::make_unique<Dcqcn>(parameters, flows, host);
                                     }};

}  // namespace echo::packets::congestion_controls
