// A fabric given link by link in a file of the cluster (`topology_file`). The numbers that other topologies
// compute in closed form were computed by routing when the file was read: for neighbours, the rate of the
// slowest GPU while all send to the corresponding GPU any number of domains further on; for all pairs, that
// while all send to all. Both assume that the whole machine is busy: the rate of a well-placed group is
// underestimated (neglected).
#include <algorithm>

#include "base/contract.hpp"
#include "machine/graph_parts.hpp"

namespace echo::machine::topologies {

static GroupLinks links(const GroupSpan& span, Traffic traffic, const ClusterSpec& cluster,
                        const GpuSpec& gpu) {
  GroupLinks out = without_fabric(span, cluster, gpu);
  if (span.nodes <= 1) return out;
  const GivenFabric& given = cluster.given;
  const bool near = traffic == Traffic::neighbours;
  const BytesPerSecond injected = rail_bandwidth(cluster) * (1.0 * rails_of(cluster) / cluster.gpus_per_node);
  const double share = (near ? given.shifted : given.all_pairs) / injected;
  out.scale_out.bandwidth = out.scale_out.bandwidth * std::min(share, 1.0);
  out.scale_out.latency = near ? given.shifted_latency : given.all_pairs_latency;
  return out;
}

static void build(const ClusterSpec& cluster, std::int32_t domains, NetworkGraph& out) {
  ECHO_EXPECT(domains * domain_of(cluster) <= cluster.given.graph.gpus);
  out = cluster.given.graph;
}

extern const Topology file;
const Topology file{.name = "file", .source = "the cluster's own file", .links = links, .build = build};

}  // namespace echo::machine::topologies
