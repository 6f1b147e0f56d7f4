// Problem. A machine of a thousand GPUs has more packets under way than can be simulated, but most of them
// never meet. Idea: flows that share no link in the direction of their data do not delay each other, so that
// a collective falls into parts (a ring below one leaf into single flows), most of which are alike. Alike:
// colour refinement (network/fold.hpp) cannot tell their flows and links apart.
//
// Answers go the other way and may meet data of another part, which does not see them: at one answer of 48
// bytes to a packet of 4 KiB, 1 % of a link; the closed forms' constants were fitted where answers are.
//
// A flow is simulated from the NIC that it leaves to the NIC that it enters; GPUs that share a NIC are one
// host, and NVLink is left to the closed forms. A link delays by the mean of what its two directions do, so
// that there and back add up to the same. Neglected: buffers of a switch that several parts share, paths of a
// dragonfly whose detours are longer than the shortest (as packets spread), differences between parts that
// colours do not see.
#include "congestion/fabric_parts.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "base/counter_rng.hpp"
#include "network/fold.hpp"

namespace echo::congestion {
namespace {

using machine::LinkPlace;
using machine::NetworkGraph;
using network::LinkUse;

struct Crossing {
  Csr<LinkUse> routes;             // [flow] links of the graph
  std::vector<std::int32_t> part;  // [flow] number of its part, in the order of first flows
  std::int32_t parts = 0;
  SimTime latency{};  // of the longest path
};

// From the first link between a NIC and a switch to the last.
std::span<const LinkUse> across_fabric(const NetworkGraph& graph, std::span<const LinkUse> route) {
  const auto is_cable = [&](const LinkUse& use) { return graph.links[at(use.link)].place == LinkPlace::nic; };
  const auto first = std::find_if(route.begin(), route.end(), is_cable);
  const auto last = std::find_if(route.rbegin(), route.rend(), is_cable).base();
  return first < last ? route.subspan(static_cast<std::size_t>(first - route.begin()),
                                      static_cast<std::size_t>(last - first))
                      : std::span<const LinkUse>();
}

void number_parts(std::size_t links, Crossing& out) {
  const std::int32_t flows = out.routes.rows();
  std::vector<std::int32_t> parent(at(flows)), owner(links, -1), number(at(flows), -1);
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&parent](std::int32_t i) {
    while (parent[at(i)] != i) i = parent[at(i)] = parent[at(parent[at(i)])];
    return i;
  };
  for (std::int32_t flow = 0; flow < flows; ++flow)
    for (const LinkUse& use : out.routes.row(flow)) {
      std::int32_t& of = owner[at(use.link)];
      if (of < 0) of = flow;
      parent[at(root(of))] = root(flow);
    }
  for (std::int32_t flow = 0; flow < flows; ++flow) {
    std::int32_t& n = number[at(root(flow))];
    if (n < 0) n = out.parts++;
    out.part.push_back(n);
  }
}

Crossing cross(const NetworkGraph& graph, network::Router& router,
               std::span<const textbook::Transfer> transfers, std::span<const std::int32_t> slots) {
  Crossing out;
  std::vector<LinkUse> uses;
  for (const textbook::Transfer& t : transfers) {
    router.route(slots[at(t.from)], slots[at(t.to)], 0, uses);
    out.latency = std::max(out.latency, router.latency_of(uses));
    const auto row = across_fabric(graph, uses);
    if (row.empty()) continue;
    out.routes.value.insert(out.routes.value.end(), row.begin(), row.end());
    out.routes.close_row();
  }
  number_parts(graph.links.size(), out);
  return out;
}

SimTime delay_of(const NetworkGraph& graph, std::int32_t link) {
  return (graph.links[at(link)].latency + graph.links[at(link ^ 1)].latency) / 2;
}

class PartBuilder {
 public:
  PartBuilder(const NetworkGraph& graph, const Crossing& crossing, const PacketSettings& settings)
      : graph_(graph), crossing_(crossing), settings_(settings) {}

  [[nodiscard]] FabricPart build(std::span<const std::int32_t> flows) {
    FabricPart part;
    collect(flows);
    for (const std::int32_t vertex : vertices_)
      part.fabric.is_switch.push_back(std::binary_search(hosts_.begin(), hosts_.end(), vertex) ? 0 : 1);
    for (const std::int32_t cable : cables_) add_cable(2 * cable, part);
    for (const std::int32_t flow : flows) add_flow(flow, part);
    return part;
  }

 private:
  static void sort_out(std::vector<std::int32_t>& numbers) {
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  }
  static std::int32_t place_in(const std::vector<std::int32_t>& sorted, std::int32_t number) {
    return static_cast<std::int32_t>(std::lower_bound(sorted.begin(), sorted.end(), number) - sorted.begin());
  }

  void collect(std::span<const std::int32_t> flows) {
    vertices_.clear(), hosts_.clear(), cables_.clear();
    for (const std::int32_t flow : flows) {
      const auto route = crossing_.routes.row(flow);
      hosts_.push_back(graph_.links[at(route.front().link)].from);
      hosts_.push_back(graph_.links[at(route.back().link)].to);
      for (const LinkUse& use : route) {
        vertices_.push_back(graph_.links[at(use.link)].from);
        vertices_.push_back(graph_.links[at(use.link)].to);
        cables_.push_back(use.link / 2);
      }
    }
    sort_out(vertices_), sort_out(hosts_), sort_out(cables_);
  }

  void add_cable(std::int32_t link, FabricPart& part) const {
    const machine::Link& one = graph_.links[at(link)];
    const double rate = one.bandwidth.value;
    part.fabric.links.push_back({.a = place_in(vertices_, one.from),
                                 .b = place_in(vertices_, one.to),
                                 .bits_per_second = std::llround(8.0 * rate),
                                 .delay = delay_of(graph_, link)});
    part.capacity.push_back(rate);
    part.capacity.push_back(rate);
  }

  void add_flow(std::int32_t flow, FabricPart& part) const {
    const auto route = crossing_.routes.row(flow);
    const bool spreads = settings_.parameters.routing == static_cast<double>(packets::Routing::adaptive) ||
                         settings_.parameters.routing == static_cast<double>(packets::Routing::spray);
    packets::Flow one{.source = place_in(vertices_, graph_.links[at(route.front().link)].from),
                      .destination = place_in(vertices_, graph_.links[at(route.back().link)].to)};
    SimTime trip{};
    std::int32_t last = -1;
    for (const LinkUse& use : route) {
      const std::int32_t port = 2 * place_in(cables_, use.link / 2) + use.link % 2;
      part.routes.push({port, use.share});
      if (!spreads) one.ports.push_back(port);
      const machine::Link& link = graph_.links[at(use.link)];
      if (last >= 0 && link.from != last) continue;  // beside the first path
      trip += 2 * delay_of(graph_, use.link);
      if (last >= 0) trip += from_seconds(settings_.parameters.wire_bytes / part.capacity[at(port)]);
      last = link.to;
    }
    part.routes.close_row();
    part.round_trip = std::max(part.round_trip, trip);
    part.flows.push_back(std::move(one));
  }

  const NetworkGraph& graph_;
  const Crossing& crossing_;
  const PacketSettings& settings_;
  std::vector<std::int32_t> vertices_, hosts_, cables_;  // of the part, sorted
};

}  // namespace

FabricParts parts_of(const NetworkGraph& graph, network::Router& router,
                     std::span<const textbook::Transfer> transfers, std::span<const std::int32_t> slots,
                     const PacketSettings& settings) {
  const Crossing crossing = cross(graph, router, transfers, slots);
  std::vector<double> rates;
  for (const machine::Link& link : graph.links) rates.push_back(link.bandwidth.value);
  std::vector<std::uint64_t> kind;
  for (std::int32_t flow = 0; flow < crossing.routes.rows(); ++flow)
    kind.push_back(static_cast<std::uint64_t>(router.latency_of(crossing.routes.row(flow)).count()));
  network::Folded folded;
  network::fold(network::uses_of(crossing.routes), kind, rates, folded);

  std::vector<std::vector<std::int32_t>> members(at(crossing.parts));  // [part] flows
  for (std::int32_t flow = 0; flow < crossing.routes.rows(); ++flow)
    members[at(crossing.part[at(flow)])].push_back(flow);
  std::map<std::vector<std::int32_t>, std::int32_t> known;
  FabricParts out{.parts = {}, .latency = crossing.latency};
  PartBuilder builder(graph, crossing, settings);
  for (const auto& flows : members) {
    std::vector<std::int32_t> classes;
    for (const std::int32_t flow : flows) classes.push_back(folded.class_of[at(flow)]);
    std::sort(classes.begin(), classes.end());
    if (known.try_emplace(std::move(classes), 0).second) out.parts.push_back(builder.build(flows));
  }
  return out;
}

}  // namespace echo::congestion
