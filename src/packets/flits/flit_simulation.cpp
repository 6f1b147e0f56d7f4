// Nodes create packets with a fixed chance in every cycle; what they cannot inject waits at the node. After
// `warmup_periods` sample periods, packets created are measured until latency and accepted rate change by
// less than 5 % over three periods in a row; then the network drains of them, under the same load. A rate is
// unstable where the mean latency, with that of packets on their way, passes `latency_thres`. Source: BookSim
// 2, trafficmanager.cpp.
#include "packets/flits/flit_simulation.hpp"

#include <algorithm>
#include <cmath>

namespace echo::packets {
namespace {

constexpr double steady = 0.05;  // change of a mean from one sample period to the next

class Nothing : public Fullness {
 public:
  [[nodiscard]] std::int32_t used(std::int32_t) const override { return 0; }
};

}  // namespace

FlitOutcome simulate_flits(const FlitTopology& topology, const TrafficPattern& traffic,
                           const FlitSettings& settings) {
  return FlitSimulation(topology, traffic, settings).run();
}

void FlitSimulation::Mean::add(double value) {
  least = count == 0 ? value : std::min(least, value);
  most = count == 0 ? value : std::max(most, value);
  sum += value;
  ++count;
}

FlitSimulation::FlitSimulation(const FlitTopology& topology, const TrafficPattern& traffic,
                               const FlitSettings& settings)
    : topology_(topology),
      traffic_(traffic),
      settings_(settings),
      draws_(static_cast<std::uint64_t>(settings.seed)),
      wires_(topology.channels.size()),
      nodes_(at(topology.nodes), Node{Credits(settings)}),
      in_channels_(at(topology.routers * topology.ports), -1),
      out_channels_(at(topology.routers * topology.ports), -1) {
  for (std::int32_t router = 0; router < topology.routers; ++router)
    routers_.emplace_back(router, topology, settings);
  for (std::int32_t i = 0; i < length_of(topology.channels); ++i) {
    const Channel& channel = topology.channels[at(i)];
    if (channel.to >= 0) in_channels_[at(channel.to * topology.ports + channel.to_port)] = i;
    if (channel.from >= 0) out_channels_[at(channel.from * topology.ports + channel.from_port)] = i;
    if (channel.from < 0) nodes_[at(channel.node)].out = i;
    if (channel.to < 0) nodes_[at(channel.node)].in = i;
  }
}

void FlitSimulation::read() {
  read_flits_.clear();
  for (std::int32_t i = 0; i < length_of(wires_); ++i) {
    Wire& wire = wires_[at(i)];
    const Channel& channel = topology_.channels[at(i)];
    if (!wire.flits.empty() && wire.flits.front().first == now_) {
      if (channel.to >= 0)
        routers_[at(channel.to)].read_flit(channel.to_port, wire.flits.front().second);
      else
        read_flits_.emplace_back(channel.node, wire.flits.front().second);
      wire.flits.pop_front();
    }
    if (!wire.credits.empty() && wire.credits.front().first == now_) {
      if (channel.from >= 0)
        routers_[at(channel.from)].read_credits(channel.from_port, wire.credits.front().second, now_);
      else
        nodes_[at(channel.node)].credits.free(wire.credits.front().second);
      wire.credits.pop_front();
    }
  }
  if (phase_ != Phase::draining)
    for (const auto& one : read_flits_) ++nodes_[at(one.first)].accepted;
}

// A node whose last packet has left tries for the cycles since, in order.
void FlitSimulation::issue(std::int32_t id) {
  Node& node = nodes_[at(id)];
  const double chance = settings_.injection_rate / settings_.packet_flits;
  while (node.packet < 0 && node.next_issue <= now_) {
    const std::int32_t created = node.next_issue++;
    if (draws_.unit() >= chance) continue;
    if (free_packets_.empty()) {
      free_packets_.push_back(length_of(packets_));
      packets_.emplace_back();
    }
    node.packet = free_packets_.back();
    free_packets_.pop_back();
    node.flits_left = static_cast<std::int32_t>(settings_.packet_flits);
    node.channel = -1;
    FlitPacket& packet = packets_[at(node.packet)];
    packet = {.routed = {id, traffic_.destination(id, topology_, draws_), 0}, .created = created};
    packet.is_measured = phase_ == Phase::running || (phase_ == Phase::draining && created < drain_from_);
    if (packet.is_measured) measured_flits_ += node.flits_left;
    flits_on_way_ += node.flits_left;
    created_on_way_ += static_cast<std::int64_t>(created) * node.flits_left;
  }
}

void FlitSimulation::choose_channel(Node& node) {
  const Route route = topology_.injection(static_cast<std::int32_t>(settings_.virtual_channels), draws_);
  const std::int32_t first = route.first_channel, count = route.last_channel - first + 1;
  for (std::int32_t turn = 1; turn <= count && node.channel < 0; ++turn) {
    const std::int32_t last = node.last_channel;
    const bool is_outside = last < first || last > route.last_channel;
    const std::int32_t channel = is_outside ? first : first + (last - first + turn) % count;
    if (node.credits.is_free(channel) && !node.credits.is_full(channel)) node.channel = channel;
  }
}

void FlitSimulation::inject(std::int32_t id) {
  issue(id);
  Node& node = nodes_[at(id)];
  if (node.packet < 0) return;
  const bool is_head = node.flits_left == static_cast<std::int32_t>(settings_.packet_flits);
  if (is_head && node.channel < 0) choose_channel(node);
  if (node.channel < 0 || node.credits.is_full(node.channel)) return;
  FlitPacket& packet = packets_[at(node.packet)];
  const Channel& channel = topology_.channels[at(node.out)];
  if (is_head) {
    node.credits.take(node.channel);
    node.last_channel = node.channel;
    packet.injected = now_;
    if (settings_.routing_delay == 0)
      packet.ahead = topology_.route(channel.to, channel.to_port, node.channel,
                                     static_cast<std::int32_t>(settings_.virtual_channels), packet.routed,
                                     draws_, Nothing());
  }
  const Flit flit{node.packet, now_, node.channel, is_head, node.flits_left == 1};
  node.credits.send(flit);
  wires_[at(node.out)].flits.emplace_back(now_ + 1 + channel.latency, flit);
  if (--node.flits_left == 0) node.packet = -1;
}

void FlitSimulation::retire(std::int32_t id, const Flit& flit) {
  const FlitPacket& packet = packets_[at(flit.packet)];
  const std::int32_t in = nodes_[at(id)].in;
  wires_[at(in)].credits.emplace_back(now_ + 1 + topology_.channels[at(in)].latency,
                                      std::uint64_t{1} << flit.channel);
  flit_latency_.add(now_ - flit.injected);
  if (packet.is_measured) --measured_flits_;
  --flits_on_way_;
  created_on_way_ -= packet.created;
  if (!flit.is_tail) return;
  if (phase_ == Phase::warming_up || packet.is_measured) {
    packet_latency_.add(now_ - packet.created);
    network_latency_.add(now_ - packet.injected);
    hops_.add(packet.hops);
  }
  free_packets_.push_back(flit.packet);
}

void FlitSimulation::write() {
  for (std::int32_t router = 0; router < topology_.routers; ++router)
    for (std::int32_t port = 0; port < topology_.ports; ++port) {
      const std::size_t place = at(router * topology_.ports + port);
      Flit flit;
      std::uint64_t mask = 0;
      if (out_channels_[place] >= 0 && routers_[at(router)].write_flit(port, flit))
        wires_[at(out_channels_[place])].flits.emplace_back(
            now_ + 1 + topology_.channels[at(out_channels_[place])].latency, flit);
      if (in_channels_[place] >= 0 && routers_[at(router)].write_credits(port, mask))
        wires_[at(in_channels_[place])].credits.emplace_back(
            now_ + 1 + topology_.channels[at(in_channels_[place])].latency, mask);
    }
}

void FlitSimulation::cycle() {
  read();
  for (std::int32_t node = 0; node < topology_.nodes; ++node) inject(node);
  for (const auto& [node, flit] : read_flits_) retire(node, flit);
  for (Router& router : routers_) router.run(now_, packets_, draws_);
  write();
  ++now_;
}

void FlitSimulation::clear_statistics() {
  packet_latency_ = network_latency_ = flit_latency_ = hops_ = {};
  for (Node& node : nodes_) node.accepted = 0;
  statistics_from_ = now_;
}

double FlitSimulation::accepted_rate() const {
  std::int64_t sum = 0;
  for (const Node& node : nodes_) sum += node.accepted;
  const std::int32_t until = phase_ == Phase::draining ? drain_from_ : now_;
  return static_cast<double>(sum) / static_cast<double>(until - statistics_from_) / topology_.nodes;
}

bool FlitSimulation::is_over_limit() const {
  const double waiting =
      static_cast<double>(static_cast<std::int64_t>(now_) * flits_on_way_ - created_on_way_);
  const double count = static_cast<double>(packet_latency_.count + flits_on_way_);
  return count > 0 && (packet_latency_.sum + waiting) / count > settings_.latency_limit;
}

// One sample period; false where the rate is not stable.
bool FlitSimulation::sample(int& converged, int phases) {
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(settings_.sample_period); ++i) cycle();
  const double latency = packet_latency_.value(), accepted = accepted_rate();
  const bool latency_moves = std::abs(latency - last_latency_) > steady * latency;
  const bool accepted_moves = std::abs(accepted - last_accepted_) > steady * accepted;
  last_latency_ = latency;
  last_accepted_ = accepted;
  if (!settings_.seeks_throughput && is_over_limit()) return false;
  if (phase_ == Phase::warming_up) {
    if (phases + 1 >= static_cast<int>(settings_.warmup_periods)) phase_ = Phase::running;
    return true;
  }
  converged = (settings_.seeks_throughput || !latency_moves) && !accepted_moves ? converged + 1 : 0;
  return true;
}

bool FlitSimulation::has_measured_packets() const {
  return measured_flits_ > 0 || std::any_of(nodes_.begin(), nodes_.end(),
                                            [&](const Node& node) { return node.next_issue <= drain_from_; });
}

bool FlitSimulation::drain() {
  if (settings_.seeks_throughput) return true;
  for (std::int32_t i = 1; has_measured_packets(); ++i) {
    cycle();
    if (i % 1000 == 0 && is_over_limit()) return false;
  }
  return true;
}

FlitOutcome FlitSimulation::run() {
  int converged = 0;
  bool is_stable = true, clears = false;
  for (int phases = 0; phases < static_cast<int>(settings_.most_samples) &&
                       (phase_ != Phase::running || converged < 3) && is_stable;
       ++phases) {
    const bool was_warming_up = phase_ == Phase::warming_up;
    if (clears || (was_warming_up && phases % 2 == 0)) clear_statistics();
    is_stable = sample(converged, phases);
    clears = was_warming_up && phase_ == Phase::running;
  }
  is_stable = is_stable && phase_ == Phase::running;
  phase_ = Phase::draining;
  drain_from_ = now_;
  is_stable = is_stable && drain();
  FlitOutcome outcome{.is_stable = is_stable, .accepted_rate = accepted_rate(), .cycles = now_};
  std::int64_t least = nodes_.front().accepted;
  for (const Node& node : nodes_) least = std::min(least, node.accepted);
  outcome.least_accepted_rate = static_cast<double>(least) / (drain_from_ - statistics_from_);
  outcome.packet_latency = packet_latency_.value();
  outcome.least_packet_latency = packet_latency_.least;
  outcome.most_packet_latency = packet_latency_.most;
  outcome.network_latency = network_latency_.value();
  outcome.flit_latency = flit_latency_.value();
  outcome.hops = hops_.value();
  return outcome;
}

}  // namespace echo::packets
