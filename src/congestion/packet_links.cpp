// Problem. Closed forms and fluids give flows that share a link their fair shares at once and without loss.
// Congestion control takes time to find them, leaves links idle after an incast, and pauses bystanders. Idea:
// as network/flow_links.cpp, with packets: every pair of members of every group of the kind exchanges the
// bytes of the whole collective in one flow, a queue pair that lives as long as the collective does, and the
// time of the last flow gives the bandwidth that a node had to itself. For each distinct question (machine,
// routing, group, traffic, congestion control) the sizes that are simulated are powers of two.
//
// The closed forms add latencies, and their constants were fitted on machines whose packets have headers; so
// the round trip of an idle network and the headers' share are taken off: alone on its links, a flow has the
// bandwidth that the closed form gives it. Neglected: steps (a ring whose members wait for each other is as
// fast as its slowest flow), the few microseconds in which a flow starts, groups of other kinds.
#include "congestion/packet_links.hpp"

#include <algorithm>
#include <bit>
#include <span>
#include <string>
#include <utility>

#include "base/at.hpp"
#include "base/record.hpp"
#include "machine/graph_parts.hpp"

namespace echo::congestion {
namespace {

// Each transfer of side_by_side(): proportions alone are of interest.
constexpr std::int64_t piece = 1'000'000;
constexpr std::int32_t least_power = 12;  // 4 KiB, a packet

std::int64_t fastest_of(const machine::NetworkGraph& graph) {
  double fastest = 0.0;
  for (const machine::Link& link : graph.links)
    if (link.place != machine::LinkPlace::scale_up && link.place != machine::LinkPlace::direct)
      fastest = std::max(fastest, link.bandwidth.value);
  return std::llround(8.0 * fastest);
}

SimTime longest_delay_of(const machine::NetworkGraph& graph) {
  SimTime longest{};
  for (const machine::Link& link : graph.links) longest = std::max(longest, link.latency);
  return longest;
}

}  // namespace

PacketLinks::PacketLinks(const machine::GroupSpan& span, network::Traffic traffic,
                         const machine::ClusterSpec& cluster, std::uint64_t seed, std::int64_t budget,
                         const SharedAnswers& shared)
    : span_(span),
      traffic_(traffic),
      cluster_(cluster),
      seed_(seed),
      budget_(budget),
      shared_(shared),
      is_plain_(span.nodes <= 1 || !network::is_regular(span, machine::domain_of(cluster))) {}

void PacketLinks::set_up() {
  const std::int32_t domain = machine::domain_of(cluster_);
  machine::NetworkGraph graph;
  machine::topology_of(cluster_).build(cluster_, (span_.stride * span_.ranks + domain - 1) / domain, graph);
  settings_ = packet_settings(cluster_, fastest_of(graph), longest_delay_of(graph));
  const auto phases = network::side_by_side(span_, traffic_, piece, domain);
  const std::vector<std::int32_t> slots = network::slots_of(graph, traffic_.scattered, seed_);
  network::Router router(graph, path_choice(cluster_), seed_);
  FabricParts found = parts_of(graph, router, phases.transfers, slots, settings_);
  parts_ = std::move(found.parts), latency_ = found.latency;
  for (const FabricPart& part : parts_) runs_.emplace_back(part, settings_, budget_);
  is_set_up_ = true;
}

PacketAnswer PacketLinks::simulate(std::int32_t power) {
  if (!is_set_up_) set_up();
  const std::int64_t bytes = std::int64_t{1} << power;
  PacketAnswer answer{.latency = latency_};
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    const SimTime last = runs_[i].time(bytes);
    const double nic = parts_[i].capacity[at(parts_[i].routes.row(0).front().link)];
    const double busy = to_seconds(last - parts_[i].round_trip) * wire_share(settings_.parameters);
    answer.seconds = std::max({answer.seconds, static_cast<double>(bytes) / nic, busy});
  }
  return answer;
}

const PacketAnswer& PacketLinks::answer(std::int32_t power) {
  const auto [entry, is_new] = known_.try_emplace(power);
  if (!is_new) return entry->second;
  const auto simulated = [this, power] { return simulate(power); };
  if (shared_.store == nullptr) return entry->second = simulated();
  std::string question(reinterpret_cast<const char*>(shared_.question.data()), shared_.question.size());
  put_value(power, question);
  return entry->second = shared_.store->answer(hash128(std::as_bytes(std::span(question))), simulated);
}

double PacketLinks::seconds(std::int64_t bytes) {
  const std::int32_t power =
      std::max(least_power, static_cast<std::int32_t>(std::bit_width(static_cast<std::uint64_t>(bytes))) - 1);
  const double low = answer(power).seconds, size = static_cast<double>(std::int64_t{1} << power);
  const double share = static_cast<double>(bytes) / size;
  if (share <= 1.0) return low * share;
  return low + (answer(power + 1).seconds - low) * (share - 1.0);
}

machine::GroupLinks PacketLinks::links(const machine::GroupLinks& closed, std::int64_t bytes) {
  machine::GroupLinks links = closed;
  if (is_plain()) return links;
  const double node = network::bytes_of_node(span_, traffic_, bytes), time = seconds(bytes);
  if (time <= 0.0) return links;
  links.scale_out.bandwidth = BytesPerSecond(node / time);
  links.scale_out.latency = known_.begin()->second.latency;
  return links;
}

}  // namespace echo::congestion
