// A run takes events in order of time, and of their scheduling where times are equal. A packet on a link is
// two events: its end leaves the sender (`transmitted`: the port is free) and it is at the receiver
// (`arrival`). Ports and hosts act only when something changes for them: a packet came, the port is free, a
// pause ended, a credit came, pacing allows a packet (`wake`).
//
// Hosts, switches and their order of steps follow the RDMA models of HPCC's ns-3 simulator, whose completion
// times this one reproduces to the nanosecond where nothing is drawn at random (docs/networks.md). Neglected:
// what Ethernet adds to frames, and the time of hosts' software.
#include "packets/engine/simulation.hpp"

#include <limits>

namespace echo::packets {

Outcome simulate_packets(const Fabric& fabric, const Routes& routes, std::span<const Flow> flows,
                         const CongestionControl& control, const Parameters& parameters) {
  Simulation simulation(fabric, routes, flows, control, parameters);
  simulation.run_until(SimTime::max(), std::numeric_limits<std::int64_t>::max());
  return simulation.take_outcome();
}

std::int64_t Simulation::schedule(SimTime time, Event::Kind kind, std::int32_t where, std::int32_t what) {
  if (kind != Event::Kind::control_timer) ++live_;
  events_.push({time, next_order_, kind, where, what});
  return next_order_++;
}

// A link keeps its arrivals itself, all but the first. One that would overtake is an event of its own.
void Simulation::schedule_arrival(std::int32_t id, SimTime time, std::int32_t packet) {
  Port& port = ports_[at(id)];
  const Event event(time, next_order_++, Event::Kind::arrival, id, packet);
  const bool is_first = port.queued_arrival < 0;
  if (is_first || time < port.last_arrival) {
    ++live_;
    events_.push(event);
    if (!is_first) return;
    port.queued_arrival = packet;
  } else {
    port.wire.push_back(event);
  }
  port.last_arrival = time;
}

void Simulation::next_arrival(Port& port) {
  if (port.wire_first == port.wire.size()) {
    port.queued_arrival = -1;
    port.wire.clear();
    port.wire_first = 0;
    return;
  }
  ++live_;
  events_.push(port.wire[port.wire_first]);
  port.queued_arrival = port.wire[port.wire_first++].what;
  if (port.wire_first < 64 || 2 * port.wire_first < port.wire.size()) return;
  port.wire.erase(port.wire.begin(), port.wire.begin() + static_cast<std::ptrdiff_t>(port.wire_first));
  port.wire_first = 0;
}

bool Simulation::is_busy(std::int32_t id) const {
  const Port& port = ports_[at(id)];
  return port.free_at != now_ ? port.free_at > now_ : port.free_order > order_now_;
}

// The end of a transmission by a switch matters only where a packet waits for it.
void Simulation::await_free(std::int32_t id) {
  Port& port = ports_[at(id)];
  if (port.is_free_awaited || port.from_host) return;
  port.is_free_awaited = true;
  ++live_;
  events_.push({port.free_at, port.free_order, Event::Kind::transmitted, id, 0});
}

bool Simulation::run_until(SimTime until, std::int64_t most_packet_hops) {
  while (open_ > 0 && live_ > 0 && outcome_.totals.packet_hops < most_packet_hops) {
    const Event event = events_.pop();
    if (event.time > until) {
      events_.push(event);
      now_ = until;
      return true;
    }
    now_ = event.time;
    order_now_ = event.order();
    history_.note(now_, next_order_);
    if (event.kind() != Event::Kind::control_timer) --live_;
    handle(event);
  }
  return open_ > 0 && live_ > 0;
}

Progress Simulation::progress(std::int32_t flow) const {
  const Sender& sender = senders_[at(flow)];
  return {sender.next, sender.acknowledged, last_progress_[at(flow)]};
}

Outcome Simulation::take_outcome() {
  for (std::int32_t flow = 0; flow < length_of(flows_); ++flow)
    if (!senders_[at(flow)].is_finished()) outcome_.unfinished.push_back(flow);
  return std::move(outcome_);
}

void Simulation::handle(const Event& event) {
  using enum Event::Kind;
  switch (event.kind()) {
    case arrival: {
      Port& port = ports_[at(event.where)];
      if (event.what == port.queued_arrival) next_arrival(port);
      return arrive(event.where, event.what);
    }
    case transmitted:
      ports_[at(event.where)].is_free_awaited = false;
      return transmit(event.where);
    case wake:
      if (ports_[at(event.where)].wake_order != event.order()) return;
      ports_[at(event.where)].wake_order = -1;
      return transmit(event.where);
    case start:
      return begin_flow(event.where);
    case control_timer:
      if (timers_[at(event.where)][at(event.what)].order == event.order())
        run_control_timer(event.where, event.what);
      return;
    case timeout:
      return check_timeout(event.where);
    case credit:
      ports_[at(event.where)].credits[at(event.what % priorities)] += event.what / priorities;
      return transmit(event.where);
  }
}

}  // namespace echo::packets
