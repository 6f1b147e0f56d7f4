#include <algorithm>

#include "base/contract.hpp"
#include "base/counter_rng.hpp"
#include "packets/engine/simulation.hpp"

namespace echo::packets {
namespace {

constexpr std::int32_t bytes_of_header(const Parameters& parameters, const CongestionControl& control) {
  return static_cast<std::int32_t>(parameters.wire_bytes - parameters.payload_bytes) + control.header_bytes;
}

// 2 PPP, 20 IP, 12 of its own and what the data's telemetry takes, padded to an Ethernet frame without its
// header.
constexpr std::int32_t bytes_of_acknowledgement(const CongestionControl& control) {
  return std::max(48, 34 + control.header_bytes);
}

// ns-3's default seed is 1.
std::uint32_t seed_of(const Parameters& parameters) {
  return parameters.seed < 1 ? 1 : static_cast<std::uint32_t>(parameters.seed);
}

// The random variables that the reference makes before the first packet: nine for each node's protocols, and
// two.
std::uint64_t streams_of_setup(const Fabric& fabric) {
  return 9 * static_cast<std::uint64_t>(fabric.nodes()) + 2;
}

bool overtakes(Routing routing) { return routing == Routing::spray || routing == Routing::adaptive; }

}  // namespace

Simulation::Simulation(const Fabric& fabric, const Routes& routes, std::span<const Flow> flows,
                       const CongestionControl& control, const Parameters& parameters)
    : fabric_(fabric),
      routes_(routes),
      flows_(flows),
      control_(control),
      parameters_(parameters),
      routing_(static_cast<Routing>(parameters.routing)),
      flow_control_(static_cast<FlowControl>(parameters.flow_control)),
      switching_(static_cast<Switching>(parameters.switching)),
      header_bytes_(bytes_of_header(parameters, control)),
      acknowledgement_bytes_(bytes_of_acknowledgement(control)),
      resolution_(std::max<std::int64_t>(1, std::llround(parameters.time_resolution_ns * 1000))),
      switch_latency_(std::llround(parameters.switch_latency_ns * 1000)),
      bit_scale_(1'000'000'000'000 / resolution_.count()),
      reorders_(overtakes(routing_)),
      chances_(seed_of(parameters), streams_of_setup(fabric)),
      pool_(control.has_telemetry),
      buffers_(fabric, parameters),
      ports_(at(fabric.ports())),
      senders_(flows.size()),
      receivers_(flows.size()),
      timers_(flows.size()),
      last_progress_(flows.size()),
      vain_timeouts_(flows.size()),
      controller_(control.make(parameters_, length_of(flows), *this)) {
  history_.remember(controller_->looks_back());
  set_up_ports();
  set_up_paths();
  outcome_.flows.resize(flows.size());
  std::vector<std::vector<std::int32_t>> started(flows.size());
  for (std::int32_t flow = 0; flow < length_of(flows); ++flow) {
    const std::int32_t after = flows[at(flow)].after;
    if (after < 0)
      schedule(flows[at(flow)].start, Event::Kind::start, flow);
    else
      started[at(after)].push_back(flow);
  }
  for (const auto& list : started) {
    for (const std::int32_t flow : list) dependents_.push(flow);
    dependents_.close_row();
  }
  open_ = length_of(flows);
}

void Simulation::set_up_ports() {
  for (std::int32_t id = 0; id < fabric_.ports(); ++id) {
    Port& port = ports_[at(id)];
    const Link& link = fabric_.link_of(id);
    port.receiver = fabric_.receiver(id);
    port.rate = link.bits_per_second;
    fastest_rate_ = std::max(fastest_rate_, port.rate);
    port.delay = link.delay;
    port.error_rate = link.error_rate;
    port.from_host = fabric_.is_host(fabric_.sender(id));
    port.to_host = fabric_.is_host(port.receiver);
    port.header_time = transmission_time(header_bytes_, port.rate);
    port.known_bytes = {static_cast<std::int32_t>(parameters_.payload_bytes) + header_bytes_,
                        acknowledgement_bytes_};
    for (std::size_t i = 0; i < port.known_bytes.size(); ++i)
      port.known_time[i] = transmission_time(port.known_bytes[i], port.rate);
    const MarkingThresholds marking = marking_thresholds(parameters_, port.rate);
    port.mark_from = marking.least;
    port.mark_all = marking.most;
    port.credits.fill(static_cast<std::int64_t>(parameters_.credit_bytes));
  }
}

// Valiant's detour: to the switch of a random third host, and from there.
std::vector<std::int32_t> Simulation::detour(std::int32_t flow, const FlowLabel& label) const {
  std::vector<std::int32_t> others;
  for (std::int32_t node = 0; node < fabric_.nodes(); ++node)
    if (fabric_.is_host(node) && node != label.source && node != label.destination &&
        !routes_.next_ports(label.source, node).empty())
      others.push_back(node);
  const auto direct = path_of(fabric_, routes_, label, PathChoice::hashed);
  if (others.empty()) return direct;
  const auto seed = static_cast<std::uint64_t>(parameters_.seed + 1);
  const std::size_t chosen = draw(seed, static_cast<std::uint64_t>(flow), 1) % others.size();
  FlowLabel there = label;
  there.destination = others[chosen];
  auto path = path_of(fabric_, routes_, there, PathChoice::hashed);
  path.pop_back();  // the link down to the third host
  std::int32_t node = fabric_.receiver(path.back());
  for (; node != label.destination; node = fabric_.receiver(path.back())) {
    const auto ports = routes_.next_ports(node, label.destination);
    path.push_back(ports[path_hash(label, static_cast<std::uint32_t>(node)) % ports.size()]);
  }
  return path;
}

std::vector<std::int32_t> Simulation::path_for(std::int32_t flow, const FlowLabel& label) const {
  if (routing_ == Routing::valiant) return detour(flow, label);
  return path_of(fabric_, routes_, label,
                 routing_ == Routing::minimal ? PathChoice::first : PathChoice::hashed);
}

// The k-th flow of a pair of hosts sends from port 10000 + k to port 100, as the reference's driver has it.
void Simulation::set_up_paths() {
  std::vector<std::int64_t> pairs;
  for (const Flow& flow : flows_)
    pairs.push_back(static_cast<std::int64_t>(flow.source) * fabric_.nodes() + flow.destination);
  std::vector<std::int32_t> rank(flows_.size()), order(flows_.size());
  for (std::int32_t i = 0; i < length_of(order); ++i) order[at(i)] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int32_t x, std::int32_t y) { return pairs[at(x)] < pairs[at(y)]; });
  for (std::size_t i = 1; i < order.size(); ++i)
    if (pairs[at(order[i])] == pairs[at(order[i - 1])]) rank[at(order[i])] = rank[at(order[i - 1])] + 1;

  const auto payload = static_cast<std::int64_t>(parameters_.payload_bytes);
  const RoundTrip longest = longest_round_trip(fabric_, routes_, payload);
  const auto add = [](Csr<std::int32_t>& rows, std::span<const std::int32_t> path) {
    for (const std::int32_t port : path) rows.push(port);
    rows.close_row();
  };
  for (std::int32_t i = 0; i < length_of(flows_); ++i) {
    const Flow& flow = flows_[at(i)];
    const FlowLabel label{flow.source, flow.destination, static_cast<std::uint16_t>(10000 + rank[at(i)]),
                          100};
    const auto path = !flow.ports.empty()  ? flow.ports
                      : flow.nodes.empty() ? path_for(i, label)
                                           : ports_along(fabric_, flow.nodes);
    ECHO_EXPECT(!path.empty() && fabric_.receiver(path.back()) == flow.destination);
    add(data_paths_, path);
    add(answer_paths_, path_for(i, label.reversed()));
    Sender& sender = senders_[at(i)];
    sender.bytes = flow.bytes;
    sender.hops = length_of(path);
    sender.priority = static_cast<std::int8_t>(flow.priority);
    sender.line_rate = fabric_.link_of(path.front()).bits_per_second;
    sender.rate = parameters_.initial_rate_mbps < 0
                      ? sender.line_rate
                      : std::min(sender.line_rate, rate_of_mbps(parameters_.initial_rate_mbps));
    const RoundTrip own = parameters_.global_t != 0 ? longest : round_trip(fabric_, path, payload);
    sender.base_rtt = own.longest;
    sender.window = parameters_.has_win != 0 ? own.bytes : 0;
    sender.scales_window = parameters_.var_win != 0;
  }
}

}  // namespace echo::packets
