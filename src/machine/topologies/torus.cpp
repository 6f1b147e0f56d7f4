// Torus of scale-up domains (of single GPUs where a domain is one, as of TPUs): each has a router, joined to
// its two neighbours along every dimension, and an even share of its NICs' bandwidth B on each of the 2 k
// links of k dimensions. Domains are numbered with the last dimension fastest. With a load of h on a link,
// in units of B / (2 k), a domain gets B / (2 k h):
//   neighbours  s domains apart: a ring goes one way round, so h = hops along the busiest dimension (1 where
//               the group lies along one)
//   all pairs   over e of d domains of a dimension: h = mean hops / 2 = d / 8 where it closes, the middle of
//               a line e / 4 where not (odd numbers a little less); exact over the whole torus for adaptive
//               routing
// Latency is that of the routers passed. Source: Jouppi et al., "TPU v4", ISCA 2023 (three dimensions);
// Dally and Towles, "Principles and practices of interconnection networks", 2004, ch. 5. Neglected: rings in
// both directions and several dimensions at once, which TPU libraries run and NCCL does not; the return path
// of a ring that does not close; twisted tori.
#include <algorithm>
#include <cstdlib>

#include "base/contract.hpp"
#include "machine/graph_parts.hpp"

namespace echo::machine::topologies {
namespace {

using Dims = std::array<std::int32_t, 3>;

std::int32_t largest_divisor(std::int32_t n, double at_most) {
  std::int32_t best = 1;
  for (std::int32_t i = 1; i <= at_most + 1e-9; ++i)
    if (n % i == 0) best = i;
  return best;
}

Dims dims_of(const ClusterSpec& cluster, std::int32_t domains) {
  if (cluster.dims[2] > 0) return cluster.dims;
  const std::int32_t first = largest_divisor(domains, std::cbrt(domains));
  const std::int32_t second = largest_divisor(domains / first, std::sqrt(domains / first));
  return {first, second, domains / first / second};
}

std::int32_t wide(const Dims& dims) {
  return static_cast<std::int32_t>(std::count_if(dims.begin(), dims.end(), [](auto d) { return d > 1; }));
}

struct Way {
  double load = 0.0, hops = 0.0;  // of the busiest link; of the way
};

Way way_of_neighbours(const Dims& dims, std::int32_t apart) {
  Way way;
  std::int32_t step = 1;
  for (std::size_t k = dims.size(); k-- > 0; step *= dims[k]) {
    const std::int32_t d = dims[k], ahead = apart / step % d;
    const auto hops = [d](std::int32_t i) { return std::min(i, d - i); };
    const bool carries = apart % step > 0;  // some are one further on
    const std::int32_t most = std::max(hops(ahead), carries ? hops((ahead + 1) % d) : 0);
    way.load = std::max<double>(way.load, most);
    way.hops += hops(ahead);
  }
  way.hops = std::max(way.hops, 1.0);
  return way;
}

Way way_of_all_pairs(const Dims& dims, std::int32_t apart, std::int32_t domains) {
  Way way;
  std::int32_t step = 1;
  for (std::size_t k = dims.size(); k-- > 0; step *= dims[k]) {
    const double d = dims[k], reach = std::ceil(static_cast<double>(domains) / step);
    const bool along = apart % (step * dims[k]) != 0;
    const double e = along ? std::min(d, reach) : 1.0;
    const double line = (e * e - std::fmod(e, 2.0)) / (4 * e);  // of an odd number, a little less
    way.load = std::max(way.load, e == d ? line / 2 : line);
    way.hops += e == d ? line : (e * e - 1) / (3 * e);
  }
  const double others = (domains - 1.0) / domains;  // what goes to the domain itself takes no link
  way.load /= others;
  way.hops = std::max(way.hops / others, 1.0);
  return way;
}

GroupLinks links(const GroupSpan& span, Traffic traffic, const ClusterSpec& cluster, const GpuSpec& gpu) {
  GroupLinks out = without_fabric(span, cluster, gpu);
  if (span.nodes <= 1) return out;
  const std::int32_t per_domain = std::max(1, domain_of(cluster) / cluster.gpus_per_node);
  const std::int32_t domains = (nodes_spanned(span, cluster) + per_domain - 1) / per_domain;
  const std::int32_t apart = std::max(1, nodes_apart(span, cluster) / per_domain);
  const Dims dims = dims_of(cluster, std::max(domains, cluster.nodes / per_domain));
  Way way = traffic == Traffic::neighbours ? way_of_neighbours(dims, apart)
                                           : way_of_all_pairs(dims, apart, domains);
  if (cluster.routing == Routing::valiant) {
    way = way_of_all_pairs(dims, 1, dims[0] * dims[1] * dims[2]);
    way.load *= 2, way.hops *= 2;
  }
  climb(2.0 * wide(dims) * way.load, 1, out);
  out.scale_out.latency = scaled(cluster.scale_out.latency, way.hops);
  return out;
}

void build(const ClusterSpec& cluster, std::int32_t domains, NetworkGraph& out) {
  const std::int32_t per_domain = std::max(1, domain_of(cluster) / cluster.gpus_per_node);
  const Dims dims = dims_of(cluster, std::max(domains, cluster.nodes / per_domain));
  const std::int32_t routers = dims[0] * dims[1] * dims[2];
  ECHO_EXPECT(routers >= domains);
  ClusterSpec own_router = cluster;
  own_router.nodes_per_leaf = per_domain;
  own_router.scale_out.latency = SimTime::zero();  // the router is counted where it is entered from another
  add_switched_domains(cluster, domains, out);
  const LeafRow row = add_leaves(own_router, Leaves::by_node, 1.0, out, routers);
  out.first_router = row.first;
  out.first_ring = static_cast<std::int32_t>(out.links.size());
  const BytesPerSecond each = row.down / (2.0 * std::max(wide(dims), 1));
  std::int32_t step = routers;
  for (const std::int32_t size : dims) {
    step /= size;
    if (size == 1) continue;
    out.dims.push_back(size);
    for (std::int32_t r = 0; r < routers; ++r) {
      const std::int32_t next = r / step % size + 1 < size ? r + step : r - (size - 1) * step;
      out.join(row.first + r, row.first + next, each, cluster.scale_out.latency, LinkPlace::ring);
    }
  }
  out.index_links();
}

}  // namespace

extern const Topology torus;
const Topology torus{.name = "torus",
                     .code = 10,
                     .source = "Jouppi et al. 2023 (TPU v4)",
                     .links = links,
                     .build = build,
                     .sized = true,
                     .has_rings = true};

}  // namespace echo::machine::topologies
