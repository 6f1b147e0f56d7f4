// Routers of `nodes_per_leaf` nodes, `leaves_per_pod` of them per group in which every two are joined, and
// every two groups joined by a trunk. With T the bandwidth of a router's nodes, a routers per group and G
// groups
//   local link  2 T / (oversubscription (a - 1)),   trunk  a T / (spine_oversubscription (G - 1))
// (a balanced dragonfly has twice the nodes' bandwidth in local links, as a minimal route takes two of them,
// and as much in global ones as its nodes send). Each node of a group sends to the node s further on, so
// that at most x(s, p) nodes of a router share a local link, and x(s, a p) of a group share a trunk, where
//   x(s, m) = s below m, otherwise the larger part that s mod m cuts m into;
// among all pairs everything is spread evenly over the n nodes. Both equal the load that the graph carries
// by minimal routes, or a little less: the bound uses the worst of a group's local links. Valiant's routes
// load the machine as two exchanges among all pairs do. Source: Kim, Dally, Scott, Abts, "Technology-driven,
// highly-scalable dragonfly topology", ISCA 2008. Neglected: cables of a trunk at several routers, adaptive
// detours (UGAL).
#include <algorithm>

#include "machine/graph_parts.hpp"

namespace echo::machine::topologies {
namespace {

struct Shape {
  double routers = 1, groups = 1;  // of a group; of the machine
  double router_nodes = 1, group_nodes = 1;
  double local = 0, trunk = 0;  // bandwidth in nodes' worth
};

Shape shape_of(const ClusterSpec& c, std::int32_t nodes) {
  Shape s;
  s.router_nodes = c.nodes_per_leaf > 0 ? c.nodes_per_leaf : nodes;
  const double routers = std::max(1.0, std::ceil(nodes / s.router_nodes));
  s.routers = c.leaves_per_pod > 0 ? c.leaves_per_pod : routers;
  s.group_nodes = s.router_nodes * s.routers;
  s.groups = std::max<double>(c.groups, std::ceil(routers / s.routers));
  if (s.routers > 1) s.local = 2.0 * s.router_nodes / (std::max(c.oversubscription, 1.0) * (s.routers - 1));
  if (s.groups > 1) s.trunk = s.group_nodes / (std::max(c.spine_oversubscription, 1.0) * (s.groups - 1));
  return s;
}

// Nodes of a block of `size` that send to one block when each sends `apart` nodes on.
double sharing_a_way(double apart, double size) {
  if (apart < size) return apart;
  const double rest = std::fmod(apart, size);
  return std::max(rest, size - rest);
}

double share_of_neighbours(const Shape& s, double apart, double nodes) {
  const double here = sharing_a_way(apart, s.router_nodes);
  if (nodes <= s.group_nodes) return s.local / here;
  const double beyond = sharing_a_way(apart, s.group_nodes), p = s.router_nodes;
  const double local = std::min(2 * p, here + 2 * std::min(beyond, p));
  return std::min(s.trunk / beyond, s.routers > 1 ? s.local / local : 1.0);
}

double share_of_all_pairs(const Shape& s, double nodes) {
  const double p = s.router_nodes, used = std::ceil(nodes / s.group_nodes);
  const double others = nodes - 1, direct = p * p / others;
  if (used <= 1) return s.local / direct;
  const double trunks = std::min(std::ceil((s.groups - 1) / s.routers), used - 1);
  const double through = 2 * trunks * p * s.group_nodes / others;
  const double trunk = s.trunk * others / (s.group_nodes * s.group_nodes);
  return std::min(trunk, s.routers > 1 ? s.local / (direct + through) : 1.0);
}

GroupLinks links(const GroupSpan& span, Traffic traffic, const ClusterSpec& cluster, const GpuSpec& gpu) {
  GroupLinks out = without_fabric(span, cluster, gpu);
  const std::int32_t nodes = nodes_spanned(span, cluster);
  const Shape s = shape_of(cluster, std::max(nodes, cluster.nodes));
  if (span.nodes <= 1 || nodes <= s.router_nodes) return out;
  double share = traffic == Traffic::neighbours ? share_of_neighbours(s, nodes_apart(span, cluster), nodes)
                                                : share_of_all_pairs(s, nodes);
  std::int32_t switches = nodes <= s.group_nodes ? 2 : 4;
  if (cluster.routing == Routing::valiant) {
    share = 0.5 * share_of_all_pairs(s, std::max<double>(nodes, s.groups * s.group_nodes));
    switches *= 2;
  }
  climb(1.0 / std::min(share, 1.0), switches, out);
  return out;
}

void build(const ClusterSpec& cluster, std::int32_t domains, NetworkGraph& out) {
  add_switched_domains(cluster, domains, out);
  const Shape s = shape_of(cluster, nodes_in(cluster, out));
  const auto a = static_cast<std::int32_t>(s.routers), groups = static_cast<std::int32_t>(s.groups);
  const LeafRow routers = add_leaves(cluster, Leaves::by_node, 1.0, out, a * groups);
  const BytesPerSecond node = rail_bandwidth(cluster) * rails_of(cluster);
  const SimTime hop = cluster.scale_out.latency;
  const auto router = [&](std::int32_t group, std::int32_t i) { return routers.first + group * a + i; };
  for (std::int32_t group = 0; group < groups; ++group) {
    for (std::int32_t i = 0; i < a; ++i)
      for (std::int32_t j = i + 1; j < a; ++j)
        out.join(router(group, i), router(group, j), node * s.local, hop, LinkPlace::leaf);
    for (std::int32_t other = group + 1; other < groups; ++other)  // trunks: to the routers in turn
      out.join(router(group, (other - group - 1) % a), router(other, (groups + group - other - 1) % a),
               node * s.trunk, hop, LinkPlace::global);
  }
  out.index_links();
}

}  // namespace

extern const Topology dragonfly;
const Topology dragonfly{.name = "dragonfly",
                         .code = 1,
                         .source = "Kim et al. 2008",
                         .links = links,
                         .build = build,
                         .sized = true};

}  // namespace echo::machine::topologies
