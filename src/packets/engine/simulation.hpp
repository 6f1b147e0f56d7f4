// The packet simulator: from flows on a fabric to the time that each took.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/csr.hpp"
#include "packets/engine/egress_queue.hpp"
#include "packets/engine/event_queue.hpp"
#include "packets/engine/order_history.hpp"
#include "packets/engine/random_streams.hpp"
#include "packets/engine/switch_buffer.hpp"
#include "packets/fabric/routing.hpp"
#include "packets/flow/congestion_control.hpp"

namespace echo::packets {

struct Totals {
  std::int64_t packet_hops = 0;  // packets sent on links, acknowledgements and pauses included
  std::int64_t marks = 0, pauses = 0, drops = 0, retransmitted_bytes = 0;
  std::int64_t largest_queue_bytes = 0;  // of a switch's port
  std::int32_t largest_queue_port = -1;
  friend bool operator==(const Totals&, const Totals&) = default;
};

struct Outcome {
  std::vector<FlowTime> flows;           // [flow]
  std::vector<std::int32_t> unfinished;  // flows that nothing under way can finish: a loss, or a deadlock
  Totals totals;
};

// Contract: flows go from a host to another that it reaches, `after` forms no cycle, and given paths are
// paths of the fabric. The same arguments give the same outcome.
[[nodiscard]] Outcome simulate_packets(const Fabric&, const Routes&, std::span<const Flow>,
                                       const CongestionControl&, const Parameters&);

// How far a flow is: bytes sent at least once and not refused, bytes acknowledged, and when the last of these
// acknowledgements came (or the flow began).
struct Progress {
  std::int64_t sent = 0, acknowledged = 0;
  SimTime last{};
};

// A run that can be halted and looked at; simulate_packets() makes one and takes it to its end.
class Simulation : private FlowHost {
 public:
  // The arguments outlive it.
  Simulation(const Fabric&, const Routes&, std::span<const Flow>, const CongestionControl&,
             const Parameters&);
  // Goes on to the time, or until so many packets have been sent on links; false once no flow is open or
  // nothing under way can finish one. Halts change no outcome.
  bool run_until(SimTime until, std::int64_t most_packet_hops);
  [[nodiscard]] SimTime now() const { return now_; }
  [[nodiscard]] Progress progress(std::int32_t flow) const;
  [[nodiscard]] std::int64_t bytes_on(std::int32_t port) const { return ports_[at(port)].transmitted; }
  [[nodiscard]] const Totals& totals() const { return outcome_.totals; }
  // What came of the flows that have finished; ends the run.
  [[nodiscard]] Outcome take_outcome();

 private:
  struct Port {
    EgressQueue queue;  // of a host: acknowledgements alone
    std::int32_t receiver = 0;
    std::int64_t rate = 0, transmitted = 0;
    SimTime delay{}, header_time{};             // until a cut-through switch knows where a packet goes
    std::array<std::int32_t, 2> known_bytes{};  // of a full packet and of an acknowledgement,
    std::array<SimTime, 2> known_time{};        // whose transmission times are kept
    bool from_host = false, to_host = false;
    // Busy until the event `transmitted` of this time and order; a switch's is in the queue only where a
    // packet waits for it.
    SimTime free_at{};
    std::int64_t free_order = -1;
    bool is_free_awaited = false;
    // Arrivals after the one that is in the queue of events, in order.
    std::vector<Event> wire;
    std::size_t wire_first = 0;
    SimTime last_arrival{};
    std::int32_t queued_arrival = -1;  // packet of the one in the queue of events
    std::uint32_t paused = 0;          // bit of a priority
    std::int64_t mark_from = 0, mark_all = 0;
    double error_rate = 0;
    std::uint64_t arrivals = 0;  // where packets are lost at random
    std::array<std::int64_t, priorities> credits{};
    // Flows of a host that have begun, in the order in which they take turns.
    std::vector<std::int32_t> flows;
    std::int32_t last_turn = 0;
    SimTime wake_time{};
    std::int64_t wake_order = -1;  // of the event that wakes it; -1: none is due
  };
  struct Receiver {
    std::int64_t expected = 0, refused = -1;
    SimTime refuse_again{};
    std::int32_t unacknowledged = 0;  // packets
  };
  struct Timer {
    std::int64_t order = -1;
  };

  // setup (setup.cpp)
  void set_up_ports();
  void set_up_paths();
  [[nodiscard]] std::vector<std::int32_t> path_for(std::int32_t flow, const FlowLabel&) const;
  [[nodiscard]] std::vector<std::int32_t> detour(std::int32_t flow, const FlowLabel&) const;

  // links and switches (links.cpp)
  void transmit(std::int32_t port);
  void transmit_from_switch(std::int32_t port);
  void start_transmission(std::int32_t port, std::int32_t packet);
  void arrive(std::int32_t port, std::int32_t packet);
  [[nodiscard]] bool is_lost(std::int32_t port);
  void enter_switch(std::int32_t port, std::int32_t packet);
  void leave_switch(std::int32_t port, std::int32_t packet);
  void send_pause(std::int32_t ingress, std::int32_t priority, bool pause);
  void return_credit(std::int32_t ingress, std::int32_t priority, std::int32_t bytes);
  void mark(std::int32_t port, Packet& packet);
  [[nodiscard]] std::int32_t next_port(std::int32_t node, const Packet& packet);
  [[nodiscard]] std::int32_t next_of_many(std::span<const std::int32_t> ports, const Packet& packet) const;
  [[nodiscard]] bool may_send(const Port&, std::int32_t priority, std::int64_t bytes) const;
  [[nodiscard]] SimTime transmission_time(std::int64_t bytes, std::int64_t rate) const;
  [[nodiscard]] SimTime time_on(const Port&, const Packet&) const;
  [[nodiscard]] SimTime early_by(const Port&, const Packet&, SimTime time) const;

  // hosts (hosts.cpp)
  void begin_flow(std::int32_t flow);
  void transmit_from_host(std::int32_t port);
  [[nodiscard]] std::int32_t choose_flow(Port& port);
  void schedule_wake(std::int32_t port);
  void send_data(std::int32_t port, std::int32_t flow);
  void receive_data(std::int32_t packet);
  void answer(std::int32_t packet, Packet::Kind kind);
  void receive_acknowledgement(std::int32_t port, std::int32_t packet);
  void complete(std::int32_t flow);
  void check_timeout(std::int32_t flow);
  void run_control_timer(std::int32_t flow, std::int32_t which);
  void set_timer(std::int32_t flow, std::int32_t which, SimTime delay) override;
  void set_timer_since(std::int32_t flow, std::int32_t which, SimTime delay, SimTime since) override;
  void cancel_timer(std::int32_t flow, std::int32_t which) override;
  void change_rate(std::int32_t flow, std::int64_t rate) override;

  void handle(const Event&);
  std::int64_t schedule(SimTime time, Event::Kind kind, std::int32_t where, std::int32_t what = 0);
  void schedule_arrival(std::int32_t port, SimTime time, std::int32_t packet);
  void next_arrival(Port& port);
  [[nodiscard]] bool is_busy(std::int32_t port) const;
  void await_free(std::int32_t port);

  const Fabric& fabric_;
  const Routes& routes_;
  std::span<const Flow> flows_;
  const CongestionControl& control_;
  const Parameters parameters_;
  const Routing routing_;
  const FlowControl flow_control_;
  const Switching switching_;
  const std::int32_t header_bytes_, acknowledgement_bytes_;
  const SimTime resolution_, switch_latency_;
  const std::int64_t bit_scale_;  // bits x bit_scale_ / rate: time in units of the resolution
  const bool reorders_;           // packets of a flow may overtake each other

  SimTime now_{};
  EventQueue events_;
  OrderHistory history_;
  std::int64_t next_order_ = 0, order_now_ = -1;  // order_now_: of the event that is handled
  std::int64_t live_ = 0;                         // events that can bring a flow forward
  std::int32_t open_ = 0;                         // flows that have not finished
  RandomStreams chances_;
  PacketPool pool_;
  SwitchBuffers buffers_;
  std::vector<Port> ports_;                                  // [port]
  Csr<std::int32_t> data_paths_, answer_paths_;              // [flow] ports
  Csr<std::int32_t> dependents_;                             // [flow] flows that it starts
  std::vector<Sender> senders_;                              // [flow]
  std::vector<Receiver> receivers_;                          // [flow]
  std::vector<std::array<Timer, timers_of_a_flow>> timers_;  // [flow]
  std::vector<SimTime> last_progress_;                       // [flow]
  std::vector<std::int32_t> vain_timeouts_;                  // [flow] in a row
  std::int64_t fastest_rate_ = 0;                            // of any port
  std::unique_ptr<Controller> controller_;
  Outcome outcome_;
};

}  // namespace echo::packets
