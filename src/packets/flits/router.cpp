// The pipeline of a head flit: routing, a virtual channel of the next buffer, the crossbar, the way through
// it; one cycle each unless a setting says otherwise, so that a hop takes four cycles and its channel. Other
// flits ask for the crossbar at once. Allocators match round robin (iSLIP, one round). A flit that leaves a
// buffer sends a credit back. Source: Dally and Towles, "Principles and practices of interconnection
// networks", 2004, chapters 16 and 17; order of the steps within a cycle as in BookSim 2 (iq_router.cpp).
// Neglected: speculation, shared buffers, priorities.
#include "packets/flits/router.hpp"

#include <algorithm>

namespace echo::packets {

void Credits::send(const Flit& flit) {
  State& state = channels_[at(flit.channel)];
  ++state.used;
  ++used_;
  if (!flit.is_tail) return;
  state.has_tail = true;
  if (!waits_) state.is_taken = false;
}

void Credits::free(std::uint64_t mask) {
  for (std::size_t channel = 0; mask != 0; ++channel, mask >>= 1) {
    if ((mask & 1U) == 0) continue;
    State& state = channels_[channel];
    --used_;
    if (--state.used == 0 && waits_ && state.has_tail) state.is_taken = false;
  }
}

Router::Router(std::int32_t id, const FlitTopology& topology, const FlitSettings& settings)
    : id_(id),
      ports_(topology.ports),
      channels_(static_cast<std::int32_t>(settings.virtual_channels)),
      topology_(topology),
      credit_delay_(static_cast<std::int32_t>(settings.credit_delay)),
      routing_delay_(static_cast<std::int32_t>(settings.routing_delay)),
      crossbar_delay_(static_cast<std::int32_t>(settings.crossbar_delay)),
      rounds_(static_cast<std::int32_t>(settings.matching_rounds)),
      speedup_(settings.internal_speedup),
      inputs_(at(ports_ * channels_)),
      outputs_(at(ports_), Credits(settings)),
      next_channel_(at(ports_)),
      crossbar_vote_(at(ports_ * ports_), -1),
      next_router_(at(ports_), -1),
      next_port_(at(ports_), -1),
      channel_allocator_(ports_ * channels_, ports_ * channels_),
      crossbar_allocator_(ports_, ports_),
      out_flits_(at(ports_)),
      out_credits_(at(ports_)),
      freed_(at(ports_)) {
  for (const Channel& channel : topology.channels)
    if (channel.from == id) {
      next_router_[at(channel.from_port)] = channel.to;
      next_port_[at(channel.from_port)] = channel.to_port;
    }
}

void Router::run(std::int32_t now, std::vector<FlitPacket>& packets, Draws& draws) {
  partial_cycles_ += speedup_;
  for (; partial_cycles_ >= 1; partial_cycles_ -= 1)
    if (!is_idle_ || !arrived_.empty() || !credits_due_.empty()) step(now, packets, draws);
}

void Router::step(std::int32_t now, std::vector<FlitPacket>& packets, Draws& draws) {
  queue_inputs(now, packets);
  for (Due& due : routing_)
    if (due.time < 0) due.time = now + routing_delay_ - 1;
  request_channels();
  request_crossbar();
  for (Crossing& one : crossing_)
    if (one.time < 0) one.time = now + crossbar_delay_ - 1;
  finish_routes(now, packets, draws);
  take_channels();
  cross(packets, draws);
  for (; !crossing_.empty() && crossing_.front().time >= 0 && crossing_.front().time <= now;
       crossing_.pop_front())
    out_flits_[at(crossing_.front().port)].push_back(crossing_.front().flit);
  for (std::int32_t port = 0; port < ports_; ++port) {
    if (freed_[at(port)] != 0) out_credits_[at(port)].push_back(freed_[at(port)]);
    freed_[at(port)] = 0;
  }
  is_idle_ = routing_.empty() && choosing_.empty() && active_.empty() && crossing_.empty();
}

void Router::queue_inputs(std::int32_t now, const std::vector<FlitPacket>& packets) {
  for (const Arrived& one : arrived_) {
    const std::int32_t place = one.port * channels_ + one.flit.channel;
    Input& input = inputs_[at(place)];
    input.flits.push_back(one.flit);
    if (input.flits.size() > 1) continue;
    if (input.state == State::idle)
      begin_packet(place, packets);
    else if (input.state == State::active)
      active_.push_back(place);
  }
  arrived_.clear();
  for (; !credits_due_.empty() && credits_due_.front().time <= now; credits_due_.pop_front())
    outputs_[at(credits_due_.front().port)].free(credits_due_.front().mask);
}

void Router::begin_packet(std::int32_t place, const std::vector<FlitPacket>& packets) {
  Input& input = inputs_[at(place)];
  if (routing_delay_ > 0) {
    input.state = State::routing;
    routing_.push_back({-1, place});
    return;
  }
  input.route = packets[at(input.flits.front().packet)].ahead;
  input.state = State::choosing;
  choosing_.push_back(place);
}

void Router::request_channels() {
  channel_allocator_.clear();
  asking_channels_ = choosing_.size();
  for (const std::int32_t place : choosing_) {
    const Route& route = inputs_[at(place)].route;
    for (std::int32_t channel = route.first_channel; channel <= route.last_channel; ++channel)
      if (outputs_[at(route.port)].is_free(channel))
        channel_allocator_.request(place, route.port * channels_ + channel);
  }
  channel_allocator_.match(rounds_);
}

// One channel of an input port asks for an output: the next in turn of those that want it.
void Router::request_crossbar() {
  crossbar_allocator_.clear();
  asking_crossbar_ = active_.size();
  for (const std::int32_t place : active_) {
    const Input& input = inputs_[at(place)];
    if (outputs_[at(input.port)].is_full(input.channel)) continue;
    const std::int32_t port = place / channels_, channel = place % channels_;
    std::int32_t& vote = crossbar_vote_[at(port * ports_ + input.port)];
    const std::int32_t turn = next_channel_[at(port)];
    const auto behind = [&](std::int32_t one) { return one >= turn ? one - turn : one - turn + channels_; };
    if (vote < 0) crossbar_allocator_.request(port, input.port);
    if (vote < 0 || behind(channel) < behind(vote)) vote = channel;
  }
  crossbar_allocator_.match(rounds_);
}

void Router::finish_routes(std::int32_t now, std::vector<FlitPacket>& packets, Draws& draws) {
  std::size_t done = 0;
  for (; done < routing_.size() && routing_[done].time >= 0 && routing_[done].time <= now; ++done) {
    const std::int32_t place = routing_[done].input;
    Input& input = inputs_[at(place)];
    input.route = topology_.route(id_, place / channels_, place % channels_, channels_,
                                  packets[at(input.flits.front().packet)].routed, draws, *this);
    input.state = State::choosing;
    choosing_.push_back(place);
  }
  routing_.erase(routing_.begin(), routing_.begin() + static_cast<std::ptrdiff_t>(done));
}

void Router::take_channels() {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < choosing_.size(); ++i) {
    const std::int32_t place = choosing_[i];
    const std::int32_t chosen = i < asking_channels_ ? channel_allocator_.output_of(place) : -1;
    if (chosen < 0) {
      choosing_[kept++] = place;
      continue;
    }
    Input& input = inputs_[at(place)];
    input.port = chosen / channels_;
    input.channel = chosen % channels_;
    input.state = State::active;
    outputs_[at(input.port)].take(input.channel);
    active_.push_back(place);
  }
  choosing_.resize(kept);
}

void Router::cross(std::vector<FlitPacket>& packets, Draws& draws) {
  const std::vector<std::int32_t> waiting(active_.begin(), active_.end());
  active_.clear();
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    const std::int32_t place = waiting[i], port = place / channels_;
    const std::int32_t output = inputs_[at(place)].port;
    const bool asked = i < asking_crossbar_;
    const bool wins = asked && crossbar_allocator_.output_of(port) == output &&
                      crossbar_vote_[at(port * ports_ + output)] == place % channels_;
    if (wins) {
      next_channel_[at(port)] = (place % channels_ + 1) % channels_;
      send(place, packets, draws);
    } else {
      active_.push_back(place);
    }
  }
  for (std::size_t i = 0; i < asking_crossbar_; ++i)
    std::fill_n(crossbar_vote_.begin() + waiting[i] / channels_ * ports_, ports_, -1);
}

void Router::send(std::int32_t place, std::vector<FlitPacket>& packets, Draws& draws) {
  Input& input = inputs_[at(place)];
  Flit flit = input.flits.front();
  input.flits.pop_front();
  FlitPacket& packet = packets[at(flit.packet)];
  if (flit.is_tail) ++packet.hops;
  flit.channel = input.channel;
  const std::int32_t next = next_router_[at(input.port)];
  if (routing_delay_ == 0 && flit.is_head && next >= 0)
    packet.ahead = topology_.route(next, next_port_[at(input.port)], flit.channel, channels_, packet.routed,
                                   draws, *this);
  outputs_[at(input.port)].send(flit);
  crossing_.push_back({-1, input.port, flit});
  freed_[at(place / channels_)] |= std::uint64_t{1} << (place % channels_);
  if (flit.is_tail) input.state = State::idle;
  if (input.flits.empty()) return;
  if (flit.is_tail)
    begin_packet(place, packets);
  else
    active_.push_back(place);
}

bool Router::write_flit(std::int32_t port, Flit& flit) {
  auto& queue = out_flits_[at(port)];
  if (queue.empty()) return false;
  flit = queue.front();
  queue.pop_front();
  return true;
}

bool Router::write_credits(std::int32_t port, std::uint64_t& mask) {
  auto& queue = out_credits_[at(port)];
  if (queue.empty()) return false;
  mask = queue.front();
  queue.pop_front();
  return true;
}

}  // namespace echo::packets
