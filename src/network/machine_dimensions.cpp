#include "network/machine_dimensions.hpp"

#include <string_view>

namespace echo::network {

static DimensionKind kind_of_nodes(const machine::ClusterSpec& cluster) {
  const auto topology = machine::topology_table()[static_cast<std::size_t>(cluster.topology.index())];
  return topology->name == std::string_view("meshed_nodes") ? DimensionKind::fully_connected
                                                            : DimensionKind::switched;
}

std::vector<Dimension> dimensions_of(const machine::GroupSpan& span, const machine::GroupLinks& links,
                                     const machine::ClusterSpec& cluster) {
  const Dimension inside{.kind = kind_of_nodes(cluster),
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
  return all;
}

Dimension flattened(const std::vector<Dimension>& dimensions, bool neighbours_only) {
  if (dimensions.size() == 1) return dimensions.front();
  Dimension flat{.kind = DimensionKind::switched, .size = 1};
  for (const Dimension& d : dimensions) {
    const BytesPerSecond crossing = d.bandwidth * (neighbours_only ? flat.size : 1.0);
    if (flat.size == 1 || crossing < flat.bandwidth) flat.bandwidth = crossing, flat.reach = d.reach;
    flat.latency = std::max(flat.latency, d.latency);
    flat.size *= d.size;
  }
  return flat;
}

}  // namespace echo::network
