// Links and switches: queues, marks, pauses, credits, and the choice of the next port.
#include <algorithm>

#include "base/counter_rng.hpp"
#include "packets/engine/simulation.hpp"

namespace echo::packets {

SimTime Simulation::transmission_time(std::int64_t bytes, std::int64_t rate) const {
  // Half up to the resolution: bits x 10^12 / rate picoseconds.
  rate = std::max<std::int64_t>(rate, 1);
  return SimTime((bytes * 8 * bit_scale_ + rate / 2) / rate * resolution_.count());
}

SimTime Simulation::time_on(const Port& port, const Packet& packet) const {
  for (std::size_t i = 0; i < port.known_bytes.size(); ++i)
    if (packet.bytes == port.known_bytes[i]) return port.known_time[i];
  return transmission_time(packet.bytes, port.rate);
}

void Simulation::transmit(std::int32_t id) {
  const Port& port = ports_[at(id)];
  if (is_busy(id)) return await_free(id);
  if (port.from_host)
    transmit_from_host(id);
  else
    transmit_from_switch(id);
}

bool Simulation::may_send(const Port& port, std::int32_t priority, std::int64_t bytes) const {
  if ((port.paused >> priority & 1U) != 0) return false;
  return flow_control_ != FlowControl::credits || port.to_host || port.credits[at(priority)] >= bytes;
}

void Simulation::transmit_from_switch(std::int32_t id) {
  Port& port = ports_[at(id)];
  const std::int32_t next = port.queue.next([&](std::int32_t priority, std::int32_t packet) {
    return may_send(port, priority, pool_[packet].bytes);
  });
  if (next < 0) return;
  port.queue.pop(pool_, next);
  leave_switch(id, next);
  start_transmission(id, next);
}

// How much earlier than its last bit a packet enters the next switch: a cut-through switch reads the header,
// and may not run out of bits on a faster port.
SimTime Simulation::early_by(const Port& port, const Packet& packet, SimTime time) const {
  if (switching_ == Switching::store_and_forward || port.to_host || packet.priority == 0) return {};
  std::int64_t fastest = port.rate;
  if (reorders_) {
    fastest = fastest_rate_;
  } else {
    const auto& paths = packet.kind == Packet::Kind::data ? data_paths_ : answer_paths_;
    fastest = std::max(fastest, ports_[at(paths.row(packet.flow)[at(packet.hop)])].rate);
  }
  return std::min(std::max(SimTime{}, time - port.header_time), transmission_time(packet.bytes, fastest));
}

void Simulation::start_transmission(std::int32_t id, std::int32_t packet_id) {
  Port& port = ports_[at(id)];
  Packet& packet = pool_[packet_id];
  const SimTime time = time_on(port, packet);
  ++packet.hop;
  ++outcome_.totals.packet_hops;
  if (flow_control_ == FlowControl::credits && !port.to_host && packet.priority != 0)
    port.credits[at(packet.priority)] -= packet.bytes;
  port.free_at = now_ + time;
  port.free_order = port.from_host ? schedule(port.free_at, Event::Kind::transmitted, id) : next_order_++;
  if (port.queue.total() > 0) await_free(id);
  const SimTime latency = port.to_host || packet.priority == 0 ? SimTime{} : switch_latency_;
  schedule_arrival(id, now_ + time + port.delay + latency - early_by(port, packet, time), packet_id);
}

bool Simulation::is_lost(std::int32_t id) {
  Port& port = ports_[at(id)];
  if (port.error_rate <= 0) return false;
  const auto seed = static_cast<std::uint64_t>(parameters_.seed + 1);
  return draw_unit(seed, static_cast<std::uint64_t>(id), ++port.arrivals) < port.error_rate;
}

void Simulation::arrive(std::int32_t id, std::int32_t packet_id) {
  const Port& port = ports_[at(id)];
  Packet& packet = pool_[packet_id];
  if (is_lost(id)) {
    ++outcome_.totals.drops;
    pool_.give_back(packet_id);
    return;
  }
  if (packet.kind == Packet::Kind::pause || packet.kind == Packet::Kind::resume) {
    const bool pauses = packet.kind == Packet::Kind::pause;
    const std::uint32_t bit = 1U << packet.sequence;
    Port& back = ports_[at(Fabric::opposite(id))];
    back.paused = pauses ? back.paused | bit : back.paused & ~bit;
    pool_.give_back(packet_id);
    if (!pauses) transmit(Fabric::opposite(id));
    return;
  }
  if (!port.to_host)
    enter_switch(id, packet_id);
  else if (packet.kind == Packet::Kind::data)
    receive_data(packet_id);
  else
    receive_acknowledgement(id, packet_id);
}

std::int32_t Simulation::next_of_many(std::span<const std::int32_t> ports, const Packet& packet) const {
  const auto key = static_cast<std::uint64_t>(packet.flow) << 20 ^ static_cast<std::uint64_t>(packet.hop);
  const auto seed = static_cast<std::uint64_t>(parameters_.seed + 1);
  const std::size_t first = draw(seed, key, static_cast<std::uint64_t>(packet.sequence)) % ports.size();
  if (routing_ == Routing::spray) return ports[first];
  std::int32_t best = ports[first];
  for (std::size_t i = 1; i < ports.size(); ++i) {
    const std::int32_t other = ports[(first + i) % ports.size()];
    if (ports_[at(other)].queue.total() < ports_[at(best)].queue.total()) best = other;
  }
  return best;
}

std::int32_t Simulation::next_port(std::int32_t node, const Packet& packet) {
  const bool is_data = packet.kind == Packet::Kind::data;
  const Flow& flow = flows_[at(packet.flow)];
  if (!reorders_ || (is_data && !(flow.nodes.empty() && flow.ports.empty())))
    return (is_data ? data_paths_ : answer_paths_).row(packet.flow)[at(packet.hop)];
  const auto ports = routes_.next_ports(node, is_data ? flow.destination : flow.source);
  return ports.size() == 1 ? ports.front() : next_of_many(ports, packet);
}

void Simulation::enter_switch(std::int32_t id, std::int32_t packet_id) {
  Packet& packet = pool_[packet_id];
  const std::int32_t out = next_port(ports_[at(id)].receiver, packet);
  packet.ingress = id;
  if (packet.priority != 0 && flow_control_ != FlowControl::credits) {
    if (!buffers_.admits(id, packet.priority, packet.bytes)) {
      ++outcome_.totals.drops;
      pool_.give_back(packet_id);
      return;
    }
    buffers_.add(id, packet.priority, packet.bytes);
    if (flow_control_ == FlowControl::pfc && buffers_.should_pause(id, packet.priority))
      send_pause(id, packet.priority, true);
  }
  Port& port = ports_[at(out)];
  if (parameters_.marks_at_enqueue != 0) mark(out, packet);
  port.queue.push(pool_, packet_id);
  if (port.queue.total() > outcome_.totals.largest_queue_bytes) {
    outcome_.totals.largest_queue_bytes = port.queue.total();
    outcome_.totals.largest_queue_port = out;
  }
  transmit(out);
}

void Simulation::send_pause(std::int32_t ingress, std::int32_t priority, bool pause) {
  constexpr std::int32_t pause_bytes = 31;  // 2 PPP, 20 IP, 9 of its own
  const std::int32_t id = pool_.take();
  Packet& frame = pool_[id];
  frame.kind = pause ? Packet::Kind::pause : Packet::Kind::resume;
  frame.bytes = pause_bytes;
  frame.sequence = priority;
  chances_.skip();  // the reference draws the frame's identification
  buffers_.set_paused(ingress, priority, pause);
  if (pause) ++outcome_.totals.pauses;
  const std::int32_t back = Fabric::opposite(ingress);
  ports_[at(back)].queue.push(pool_, id);
  transmit(back);
}

void Simulation::mark(std::int32_t id, Packet& packet) {
  const Port& port = ports_[at(id)];
  const std::int64_t queued = port.queue.bytes(packet.priority);
  if (parameters_.enable_qcn == 0 || queued <= port.mark_from) return;
  if (queued <= port.mark_all) {
    const double share = parameters_.pmax * static_cast<double>(queued - port.mark_from) /
                         static_cast<double>(port.mark_all - port.mark_from);
    if (chances_.next() >= share) return;
  }
  if (packet.kind == Packet::Kind::data && !packet.marked) ++outcome_.totals.marks;
  packet.marked = packet.kind == Packet::Kind::data || packet.marked;
}

void Simulation::return_credit(std::int32_t ingress, std::int32_t priority, std::int32_t bytes) {
  schedule(now_ + ports_[at(Fabric::opposite(ingress))].delay, Event::Kind::credit, ingress,
           bytes * priorities + priority);
}

void Simulation::leave_switch(std::int32_t id, std::int32_t packet_id) {
  Packet& packet = pool_[packet_id];
  Port& port = ports_[at(id)];
  if (packet.priority != 0) {
    if (flow_control_ == FlowControl::credits) {
      return_credit(packet.ingress, packet.priority, packet.bytes);
    } else {
      buffers_.remove(packet.ingress, packet.priority, packet.bytes);
    }
    if (parameters_.marks_at_enqueue == 0) mark(id, packet);
    if (flow_control_ == FlowControl::pfc && buffers_.should_resume(packet.ingress, packet.priority))
      send_pause(packet.ingress, packet.priority, false);
  }
  if (control_.has_telemetry && packet.kind == Packet::Kind::data) {
    const auto multi = static_cast<std::int64_t>(parameters_.int_multi);
    pool_.telemetry(packet_id)[at(packet.telemetry_hops % most_telemetry_hops)] = {
        static_cast<std::uint32_t>(now_.count() / 1000) & 0xffffffU,
        static_cast<std::uint32_t>(port.transmitted / (128 * multi)) & 0xfffffU,
        static_cast<std::uint32_t>(port.queue.total() / (80 * multi)) & 0x1ffffU, port.rate};
    ++packet.telemetry_hops;
  }
  port.transmitted += packet.bytes;
}

}  // namespace echo::packets
