// Problem. A flow of 256 MB has 65 000 packets, and a sweep asks for thousands of collectives; but after some
// round trips congestion control has found its rates, and nothing new happens until a flow ends.
//
// Criterion. A run is looked at at times t, 2 t, 4 t, ...; t is eight round trips of the idle network and 64
// packets of its slowest link. It is steady when, on every link that limits a flow,
//   the throughput of the last window is within 2 % of that of the window before (half as long), and
//   the bytes sent and the bytes acknowledged in it differ by at most 2 %: no queue fills or drains
// and no flow has ended; and the link is used by nine tenths at least, or the window has eight of the periods
// after which DCQCN increases rates: between two of them rates rest wherever a cut has left them. Rates are
// means over the last window, from acknowledgement to acknowledgement. A limiting link is that of a flow's
// path that is used most.
//
// Fluids. Flows go on at max-min fair rates, weighted by their packets' rates. A limiting link has the
// throughput that was measured, others their bandwidth times the greatest use of any link; so the first rates
// are those measured, and what a flow leaves when it ends goes to the others in proportion. Above
// `most_fluids` flows, the link that takes longest to carry what is left gives the end. Neglected: that
// congestion control takes time to claim what others leave.
//
// Where the budget of packets is spent before rates are steady, the last window saw queues fill and some
// flows more than others; its rates would make tails that packets do not have. Then flows are equal, and all
// links are used as much as the most used one was. So they are after a circle of waiting packets (PFC,
// credits), which watchdogs of switches break.
//
// Larger flows behave alike until the first has sent its last byte, so that one handover serves them all.
#include "congestion/part_run.hpp"

#include <algorithm>
#include <limits>

#include "base/at.hpp"
#include "base/contract.hpp"
#include "network/flow_component.hpp"
#include "packets/engine/simulation.hpp"

namespace echo::congestion {
namespace {

constexpr double tolerance = 0.02, full = 0.9;
constexpr std::int64_t periods = 8;
constexpr std::int32_t most_fluids = 4096;

using packets::Progress;

// [flow] progress at a time, and [port] bytes that switches have sent on links.
struct Look {
  SimTime time{};
  std::vector<Progress> flows;
  std::vector<std::int64_t> carried;
};

Look look_at(const packets::Simulation& simulation, const FabricPart& part) {
  Look look{simulation.now(), {}, {}};
  for (std::int32_t flow = 0; flow < part.routes.rows(); ++flow)
    look.flows.push_back(simulation.progress(flow));
  for (std::int32_t port = 0; port < part.fabric.ports(); ++port)
    look.carried.push_back(simulation.bytes_on(port));
  return look;
}

// Bytes per second that were acknowledged between two looks: at least a packet, since a flow of which none
// was sent was held up by others, and goes on when they have ended.
std::vector<double> rates_between(const Look& from, const Look& to, const PacketSettings& settings) {
  std::vector<double> rates;
  for (std::size_t i = 0; i < to.flows.size(); ++i) {
    const Progress &a = from.flows[i], &b = to.flows[i];
    const auto bytes =
        std::max(settings.parameters.payload_bytes, static_cast<double>(b.acknowledged - a.acknowledged));
    rates.push_back(bytes / to_seconds(b.last > a.last ? b.last - a.last : to.time - from.time));
  }
  return rates;
}

std::vector<double> loads_of(const FabricPart& part, std::span<const double> rates) {
  std::vector<double> loads(part.capacity.size(), 0.0);
  for (std::int32_t flow = 0; flow < part.routes.rows(); ++flow)
    for (const network::LinkUse& use : part.routes.row(flow))
      loads[at(use.link)] += use.share * rates[at(flow)];
  return loads;
}

// [port] Whether it is the most used of a flow's path.
std::vector<std::uint8_t> limits_of(const FabricPart& part, std::span<const double> loads) {
  std::vector<std::uint8_t> limits(loads.size(), 0);
  for (std::int32_t flow = 0; flow < part.routes.rows(); ++flow) {
    std::int32_t most = part.routes.row(flow).front().link;
    for (const network::LinkUse& use : part.routes.row(flow))
      if (loads[at(use.link)] / part.capacity[at(use.link)] > loads[at(most)] / part.capacity[at(most)])
        most = use.link;
    limits[at(most)] = 1;
  }
  return limits;
}

// [flow] Bytes sent or acknowledged between two looks, over the time between them.
std::vector<double> mean_rates(std::int64_t Progress::*bytes, const Look& from, const Look& to) {
  std::vector<double> rates;
  const double seconds = to_seconds(to.time - from.time);
  for (std::size_t i = 0; i < to.flows.size(); ++i)
    rates.push_back(static_cast<double>(to.flows[i].*bytes - from.flows[i].*bytes) / seconds);
  return rates;
}

// Between two increases of a sender that has cut its rate, under DCQCN; others increase more often.
SimTime increase_period(const PacketSettings& settings) {
  return from_seconds(1e-6 * settings.parameters.rp_timer_us);
}

bool is_steady(const FabricPart& part, const PacketSettings& settings, const Look& first, const Look& middle,
               const Look& last) {
  const auto before = loads_of(part, rates_between(first, middle, settings));
  const auto now = loads_of(part, rates_between(middle, last, settings));
  const auto sent = loads_of(part, mean_rates(&Progress::sent, middle, last));
  const auto answered = loads_of(part, mean_rates(&Progress::acknowledged, middle, last));
  const auto limits = limits_of(part, now);
  const bool is_long = last.time - middle.time >= periods * increase_period(settings);
  for (std::size_t port = 0; port < now.size(); ++port) {
    if (limits[port] == 0) continue;
    if (!is_long && now[port] < full * part.capacity[port] * wire_share(settings.parameters)) return false;
    if (std::abs(now[port] - before[port]) > tolerance * now[port]) return false;
    if (std::abs(sent[port] - answered[port]) > tolerance * now[port]) return false;
  }
  return true;
}

// Whether a flow has sent all that it has.
bool has_ended(const Look& look, std::int64_t bytes) {
  return std::any_of(look.flows.begin(), look.flows.end(),
                     [&](const Progress& flow) { return flow.sent >= bytes; });
}

SimTime first_look_at(const FabricPart& part, const PacketSettings& settings) {
  const double slowest = *std::min_element(part.capacity.begin(), part.capacity.end());
  return std::max(8 * part.round_trip, from_seconds(64.0 * settings.parameters.wire_bytes / slowest));
}

// The largest share of a link's time in which a switch sent on it between two looks.
double most_used(const FabricPart& part, const Look& from, const Look& to) {
  double most = 0.0;
  for (std::size_t port = 0; port < part.capacity.size(); ++port)
    most = std::max(most, static_cast<double>(to.carried[port] - from.carried[port]) / part.capacity[port]);
  return std::min(1.0, most / to_seconds(to.time - from.time));
}

Handover hand_over(const FabricPart& part, const Look& from, const Look& to, const PacketSettings& settings,
                   bool steady) {
  Handover handover{.time = to.time,
                    .rate = rates_between(from, to, settings),
                    .use = most_used(part, from, to),
                    .is_steady = steady};
  for (std::size_t i = 0; i < to.flows.size(); ++i)
    handover.sent.push_back(static_cast<double>(to.flows[i].acknowledged) +
                            handover.rate[i] * to_seconds(to.time - to.flows[i].last));
  return handover;
}

// What links carry while fluids go on, bytes per second.
std::vector<double> capacity_of_fluids(const FabricPart& part, const PacketSettings& settings,
                                       std::span<const double> loads, const Handover& from) {
  std::vector<double> capacity = part.capacity;
  if (!from.is_steady) {
    const double share = wire_share(settings.parameters) * (from.use > 0.0 ? from.use : 1.0);
    for (double& rate : capacity) rate *= share;
    return capacity;
  }
  const std::vector<std::uint8_t> limits = limits_of(part, loads);
  double use = 0.0;
  for (std::size_t port = 0; port < loads.size(); ++port)
    use = std::max(use, loads[port] / part.capacity[port]);
  use = std::min(use, wire_share(settings.parameters));
  for (std::size_t port = 0; port < loads.size(); ++port)
    capacity[port] = limits[port] != 0 ? loads[port] : std::max(loads[port], part.capacity[port] * use);
  return capacity;
}

// When the last of the flows of `bytes` has ended.
SimTime end_of_fluids(const FabricPart& part, const PacketSettings& settings, const Handover& from,
                      std::int64_t bytes) {
  const std::vector<double> loads = loads_of(part, from.rate);
  const std::vector<double> capacity = capacity_of_fluids(part, settings, loads, from);
  std::vector<double> left;
  for (const double sent : from.sent) left.push_back(std::max(0.0, static_cast<double>(bytes) - sent));
  if (part.routes.rows() > most_fluids) {
    const std::vector<double> to_carry = loads_of(part, left);
    double seconds = 0.0;
    for (std::size_t port = 0; port < to_carry.size(); ++port)
      if (to_carry[port] > 0.0) seconds = std::max(seconds, to_carry[port] / capacity[port]);
    return from.time + from_seconds(seconds);
  }
  network::Course course;
  network::RoutedPhase phase;
  for (std::int32_t flow = 0; flow < part.routes.rows(); ++flow) {
    const double weight = from.is_steady ? from.rate[at(flow)] : 1.0;
    std::vector<network::LinkUse> route;
    for (const network::LinkUse& use : part.routes.row(flow)) route.push_back({use.link, use.share * weight});
    phase.routes.add(route);
    phase.bytes.push_back(left[at(flow)] / weight);
    phase.latency.push_back(SimTime::zero());
  }
  course.phases.push_back(std::move(phase));
  network::FlowTimes times;
  times.link_bytes.assign(capacity.size(), 0.0);
  network::run_component({&course}, capacity, times);
  return from.time + course.end;
}

}  // namespace

SimTime PartRun::time(std::int64_t bytes) {
  ECHO_EXPECT(bytes > 0 && !part_->flows.empty());
  if (reusable_from_ > 0 && bytes >= reusable_from_) return go_on(bytes);
  return by_packets(bytes);
}

SimTime PartRun::by_packets(std::int64_t bytes) {
  std::vector<packets::Flow> flows = part_->flows;
  for (packets::Flow& flow : flows) flow.bytes = bytes;
  const packets::Routes routes(part_->fabric);
  packets::Simulation simulation(part_->fabric, routes, flows, *settings_->control, settings_->parameters);
  constexpr std::int64_t endless = std::numeric_limits<std::int64_t>::max();
  const std::int64_t budget = budget_ > 0 ? budget_ : endless;
  std::vector<Look> looks{look_at(simulation, *part_)};
  bool is_open = true, steady = false;
  for (SimTime next = budget_ > 0 ? first_look_at(*part_, *settings_) : SimTime::max(); is_open && !steady;
       next *= 2) {
    is_open = simulation.run_until(next, budget);
    if (!is_open) break;
    looks.push_back(look_at(simulation, *part_));
    const bool is_spent = simulation.totals().packet_hops >= budget;
    const std::size_t n = looks.size();
    // A look just after the one before says little.
    if (is_spent && n > 2 && looks[n - 1].time < looks[n - 2].time * 5 / 4) looks.erase(looks.end() - 2);
    if (is_spent) break;
    steady = n > 3 && !has_ended(looks.back(), bytes) &&
             is_steady(*part_, *settings_, looks[n - 3], looks[n - 2], looks[n - 1]);
  }
  packet_hops_ += simulation.totals().packet_hops;
  if (!is_open) {
    const packets::Outcome outcome = simulation.take_outcome();
    SimTime last{};
    for (const packets::FlowTime& flow : outcome.flows) last = std::max(last, flow.start + flow.duration);
    if (outcome.unfinished.empty()) {
      if (reusable_from_ == 0) handover_.reset();
      return last;
    }
    looks = {looks.front(), look_at(simulation, *part_)};
  }
  const Handover made = hand_over(*part_, looks[looks.size() - 2], looks.back(), *settings_, steady);
  if (reusable_from_ == 0) {
    handover_ = made;
    if (!has_ended(looks.back(), bytes)) reusable_from_ = bytes;
  }
  return end_of_fluids(*part_, *settings_, made, bytes);
}

SimTime PartRun::go_on(std::int64_t bytes) const {
  return end_of_fluids(*part_, *settings_, *handover_, bytes);
}

}  // namespace echo::congestion
