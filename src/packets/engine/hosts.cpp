// Hosts: which flow sends next, what receivers answer, and what acknowledgements do.
#include <algorithm>

#include "packets/engine/simulation.hpp"

namespace echo::packets {

void Simulation::begin_flow(std::int32_t flow) {
  Sender& sender = senders_[at(flow)];
  const std::int32_t port = data_paths_.row(flow).front();
  outcome_.flows[at(flow)].start = now_;
  sender.next_send = now_;
  last_progress_[at(flow)] = now_;
  controller_->start(flow, sender);
  ports_[at(port)].flows.push_back(flow);
  if (parameters_.retransmission_timeout_us > 0)
    schedule(now_ + from_microseconds(parameters_.retransmission_timeout_us), Event::Kind::timeout, flow);
  transmit(port);
}

// The first flow after the one that sent last, whose priority is not paused, whose window is open and whose
// time has come; -1 for none. Finished flows that it meets leave the list.
std::int32_t Simulation::choose_flow(Port& port) {
  const std::int32_t count = length_of(port.flows);
  std::int32_t chosen = -1, first_finished = count;
  for (std::int32_t turn = 1; turn <= count; ++turn) {
    const std::int32_t place = (turn + port.last_turn) % count;
    const std::int32_t flow = port.flows[at(place)];
    const Sender& sender = senders_[at(flow)];
    const std::int64_t payload =
        std::min(sender.bytes_left(), static_cast<std::int64_t>(parameters_.payload_bytes));
    if (payload > 0 && !sender.is_bound_by_window() &&
        may_send(port, sender.priority, payload + header_bytes_)) {
      if (sender.next_send > now_) continue;
      chosen = place;
      break;
    }
    if (sender.is_finished()) first_finished = std::min(first_finished, place);
  }
  std::int32_t kept = first_finished;
  for (std::int32_t place = first_finished; place < count; ++place) {
    if (senders_[at(port.flows[at(place)])].is_finished()) continue;
    if (place == chosen) chosen = kept;
    port.flows[at(kept++)] = port.flows[at(place)];
  }
  port.flows.resize(at(kept));
  return chosen;
}

void Simulation::transmit_from_host(std::int32_t id) {
  Port& port = ports_[at(id)];
  // Acknowledgements wait in queue 0 of the host, which is not held back; whether a pause of data stops them
  // is a setting of the host.
  const std::int32_t answer = port.queue.next([](std::int32_t, std::int32_t) { return true; });
  const bool is_free = parameters_.ack_high_prio != 0 || (port.paused >> 3 & 1U) == 0;
  if (answer >= 0 && is_free) {
    Packet& packet = pool_[answer];
    const auto priority = senders_[at(packet.flow)].priority;
    if (may_send(port, flow_control_ == FlowControl::credits ? priority : 0, packet.bytes)) {
      port.queue.pop(pool_, answer);
      packet.priority = priority;
      start_transmission(id, answer);
      return;
    }
  }
  const std::int32_t place = choose_flow(port);
  if (place < 0) return schedule_wake(id);
  port.last_turn = place;
  send_data(id, port.flows[at(place)]);
}

// One timer a host: to the earliest pacing time of all its flows, if that is to come.
void Simulation::schedule_wake(std::int32_t id) {
  Port& port = ports_[at(id)];
  if (port.wake_order >= 0 || port.flows.empty()) return;
  SimTime earliest = SimTime::max();
  for (const std::int32_t flow : port.flows) earliest = std::min(earliest, senders_[at(flow)].next_send);
  if (earliest <= now_) return;
  port.wake_time = earliest;
  port.wake_order = schedule(earliest, Event::Kind::wake, id);
}

void Simulation::send_data(std::int32_t id, std::int32_t flow) {
  Sender& sender = senders_[at(flow)];
  const std::int32_t packet_id = pool_.take();
  Packet& packet = pool_[packet_id];
  packet.flow = flow;
  packet.sequence = sender.next;
  packet.payload = static_cast<std::int32_t>(
      std::min(sender.bytes_left(), static_cast<std::int64_t>(parameters_.payload_bytes)));
  packet.bytes = packet.payload + header_bytes_;
  packet.priority = sender.priority;
  packet.sent = now_;
  sender.next += packet.payload;
  sender.last_bytes = packet.bytes;
  const std::int64_t pace = parameters_.rate_bound != 0 ? sender.rate : sender.line_rate;
  sender.next_send = now_ + transmission_time(packet.bytes, pace);
  start_transmission(id, packet_id);
}

void Simulation::receive_data(std::int32_t packet_id) {
  const Packet& packet = pool_[packet_id];
  Receiver& receiver = receivers_[at(packet.flow)];
  if (reorders_ || packet.sequence == receiver.expected) {
    receiver.expected += packet.payload;
    const bool is_last = receiver.expected >= senders_[at(packet.flow)].bytes;
    const bool ends_chunk = receiver.expected % static_cast<std::int64_t>(parameters_.l2_chunk_size) == 0;
    if (++receiver.unacknowledged >= parameters_.l2_ack_interval || is_last || ends_chunk || packet.marked)
      return answer(packet_id, Packet::Kind::acknowledgement);
  } else if (packet.sequence > receiver.expected) {
    if (now_ >= receiver.refuse_again || receiver.refused != receiver.expected) {
      receiver.refuse_again = now_ + from_microseconds(parameters_.nack_interval_us);
      receiver.refused = receiver.expected;
      const auto chunk = static_cast<std::int64_t>(parameters_.l2_chunk_size);
      if (parameters_.l2_back_to_zero != 0) receiver.expected = receiver.expected / chunk * chunk;
      return answer(packet_id, Packet::Kind::refusal);
    }
  } else if (parameters_.retransmission_timeout_us > 0) {
    return answer(packet_id, Packet::Kind::acknowledgement);  // the first answer may be lost
  }
  pool_.give_back(packet_id);
}

// The packet becomes its answer, with its telemetry and time.
void Simulation::answer(std::int32_t packet_id, Packet::Kind kind) {
  Packet& packet = pool_[packet_id];
  Receiver& receiver = receivers_[at(packet.flow)];
  receiver.unacknowledged = 0;
  packet.kind = kind;
  packet.sequence = receiver.expected;
  packet.bytes = acknowledgement_bytes_;
  packet.payload = 0;
  packet.hop = 0;
  packet.ingress = -1;
  packet.priority = 0;
  const std::int32_t back = answer_paths_.row(packet.flow).front();  // of a host with several, another port
  ports_[at(back)].queue.push(pool_, packet_id);
  transmit(back);
}

void Simulation::receive_acknowledgement(std::int32_t id, std::int32_t packet_id) {
  const Packet packet = pool_[packet_id];
  const std::int32_t flow = packet.flow;
  Sender& sender = senders_[at(flow)];
  if (sender.is_finished()) {
    pool_.give_back(packet_id);
    return;
  }
  std::int64_t sequence = packet.sequence;
  if (parameters_.l2_back_to_zero != 0 && sequence < sender.bytes) {
    const auto chunk = static_cast<std::int64_t>(parameters_.l2_chunk_size);
    sequence = sequence / chunk * chunk;
  }
  if (sequence > sender.acknowledged) {
    sender.acknowledged = sequence;
    vain_timeouts_[at(flow)] = 0;
    last_progress_[at(flow)] = now_;
  }
  if (sender.is_finished()) complete(flow);
  if (packet.kind == Packet::Kind::refusal) {
    outcome_.totals.retransmitted_bytes += std::max<std::int64_t>(0, sender.next - sender.acknowledged);
    sender.next = sender.acknowledged;
  }
  Acknowledgement ack{.sequence = packet.sequence,
                      .marked = packet.marked,
                      .now = now_,
                      .sent = packet.sent,
                      .last_link = ports_[at(id)].delay + time_on(ports_[at(id)], packet)};
  if (control_.has_telemetry && packet.telemetry_hops <= most_telemetry_hops)
    ack.hops = std::span(pool_.telemetry(packet_id)).first(at(packet.telemetry_hops));
  if (!sender.is_finished()) controller_->acknowledge(flow, sender, ack);
  pool_.give_back(packet_id);
  transmit(data_paths_.row(flow).front());
}

void Simulation::complete(std::int32_t flow) {
  FlowTime& time = outcome_.flows[at(flow)];
  time.duration = now_ - time.start;
  --open_;
  for (std::int32_t which = 0; which < timers_of_a_flow; ++which) cancel_timer(flow, which);
  for (const std::int32_t next : dependents_.row(flow)) schedule(now_, Event::Kind::start, next);
}

// Without progress for the whole timeout, all that is not acknowledged is sent again.
void Simulation::check_timeout(std::int32_t flow) {
  Sender& sender = senders_[at(flow)];
  if (sender.is_finished()) return;
  const SimTime timeout = from_microseconds(parameters_.retransmission_timeout_us);
  if (now_ - last_progress_[at(flow)] >= timeout) {
    outcome_.totals.retransmitted_bytes += sender.next - sender.acknowledged;
    sender.next = sender.acknowledged;
    last_progress_[at(flow)] = now_;
    constexpr std::int32_t hopeless = 1000;  // what nothing moves for so long, nothing will
    if (++vain_timeouts_[at(flow)] == hopeless) return;
    transmit(data_paths_.row(flow).front());
  }
  schedule(last_progress_[at(flow)] + timeout, Event::Kind::timeout, flow);
}

void Simulation::run_control_timer(std::int32_t flow, std::int32_t which) {
  timers_[at(flow)][at(which)].order = -1;
  controller_->timer(flow, senders_[at(flow)], which, now_);
}

void Simulation::set_timer(std::int32_t flow, std::int32_t which, SimTime delay) {
  timers_[at(flow)][at(which)].order = schedule(now_ + delay, Event::Kind::control_timer, flow, which);
}

void Simulation::set_timer_since(std::int32_t flow, std::int32_t which, SimTime delay, SimTime since) {
  const std::int64_t order = history_.order_at(since) - 1;
  timers_[at(flow)][at(which)].order = order;
  events_.push({now_ + delay, order, Event::Kind::control_timer, flow, which, true});
}

void Simulation::cancel_timer(std::int32_t flow, std::int32_t which) {
  timers_[at(flow)][at(which)].order = -1;
}

void Simulation::change_rate(std::int32_t flow, std::int64_t rate) {
  Sender& sender = senders_[at(flow)];
  sender.next_send +=
      transmission_time(sender.last_bytes, rate) - transmission_time(sender.last_bytes, sender.rate);
  sender.rate = rate;
  const std::int32_t id = data_paths_.row(flow).front();
  Port& port = ports_[at(id)];
  if (port.wake_order < 0 || sender.next_send >= port.wake_time) return;
  port.wake_time = std::max(now_, sender.next_send);
  port.wake_order = schedule(port.wake_time, Event::Kind::wake, id);
}

}  // namespace echo::packets
