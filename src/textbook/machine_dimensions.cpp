#include "textbook/machine_dimensions.hpp"

#include <algorithm>

namespace echo::textbook {

// The rings of a whole torus whose sizes are given, the fastest first, in place of one switch. Neighbours
// there get one of a router's two cables along each dimension, so that a ring has twice the bandwidth of
// `between`.
static std::vector<Dimension> unfolded(const Dimension& between, const machine::ClusterSpec& cluster) {
  const auto& dims = cluster.dims;
  const bool is_whole =
      machine::topology_of(cluster).has_rings && dims[0] * dims[1] * dims[2] == between.size;
  if (!is_whole || cluster.routing == machine::Routing::valiant) return {between};
  std::vector<Dimension> rings;
  for (std::size_t i = dims.size(); i-- > 0;) {
    if (dims[i] == 1) continue;
    rings.push_back(between);
    rings.back().kind = DimensionKind::ring;
    rings.back().size = dims[i];
    rings.back().bandwidth = between.bandwidth * 2.0;
    rings.back().latency = cluster.scale_out.latency;
  }
  return rings;
}

std::vector<Dimension> dimensions_of(const machine::GroupSpan& span, const machine::GroupLinks& links,
                                     const machine::ClusterSpec& cluster) {
  const bool meshed = machine::topology_of(cluster).is_meshed;
  const Dimension inside{.kind = meshed ? DimensionKind::fully_connected : DimensionKind::switched,
                         .size = span.ranks_per_node,
                         .bandwidth = links.scale_up.bandwidth,
                         .latency = links.scale_up.latency,
                         .reach = Reach::scale_up};
  const Dimension between{.kind = DimensionKind::switched,
                          .size = span.nodes,
                          .bandwidth = links.scale_out.bandwidth / static_cast<double>(span.ranks_per_node),
                          .latency = links.scale_out.latency,
                          .reach = Reach::scale_out};
  std::vector<Dimension> all;
  if (inside.size > 1) all.push_back(inside);
  if (between.size > 1) all.push_back(between);
  if (std::int64_t{inside.size} * between.size != span.ranks && all.size() > 1) {
    Dimension flat = flattened(all, false);
    flat.size = span.ranks;
    return {flat};
  }
  if (between.size > 1) {
    all.pop_back();
    for (const Dimension& d : unfolded(between, cluster)) all.push_back(d);
  }
  return all;
}

Dimension flattened(const std::vector<Dimension>& dimensions, bool neighbours_only) {
  if (dimensions.size() == 1) return dimensions.front();
  Dimension flat{.kind = DimensionKind::switched, .size = 1};
  for (const Dimension& d : dimensions) {
    const BytesPerSecond crossing =
        neighbours_only ? d.cable() * static_cast<double>(flat.size) : d.bandwidth;
    if (flat.size == 1 || crossing < flat.bandwidth) flat.bandwidth = crossing, flat.reach = d.reach;
    flat.latency = std::max(flat.latency, d.latency);
    flat.size *= d.size;
  }
  return flat;
}

}  // namespace echo::textbook
