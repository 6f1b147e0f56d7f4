// Topology plug-ins: the links a communicator sees. One file each in topologies/.
#pragma once

#include <cstdint>
#include <span>

#include "base/at.hpp"
#include "machine/cluster.hpp"
#include "machine/group.hpp"
#include "machine/network_graph.hpp"

namespace echo::machine {

// The links that one communicator can use, including contention with its `sharing` siblings.
struct GroupLinks {
  LinkSpec scale_up;      // per GPU, one direction
  LinkSpec scale_out;     // all NIC bandwidth this group may use on a node, one direction; hop latency
  std::int32_t nics = 1;  // NICs per node that this group uses
  std::int32_t gpus_per_node = 8;  // of the machine, not of the group
  std::int32_t compute_capability = 80;
  CpuVendor cpu = CpuVendor::intel;
  friend bool operator==(const GroupLinks&, const GroupLinks&) = default;
};

// Traffic of a group between nodes. neighbours: to the next member in order (rings, trees, pipelines), all
// identical groups at the same time; all_pairs: every member to every other; scattered: to nodes anywhere in
// the machine, which loads it as all pairs do, but in fewer flows.
enum class Traffic : std::int8_t { neighbours, scattered, all_pairs };

struct Topology {
  const char* name;  // of its file
  // Its number in result files, from 1 on without a gap; never changed. 0: only a cluster's own file can fill
  // it.
  std::int32_t code = 0;
  const char* source;
  // Pure. Contract: symmetric in the ranks; never faster than the cluster's own links; within one scale-up
  // domain (a node, or an NVL72 rack: a "node" of GroupSpan) only scale_up is set.
  GroupLinks (*links)(const GroupSpan&, Traffic, const ClusterSpec&, const GpuSpec&);
  // The graph of `domains` scale-up domains of the machine, with indexed links; `links` is its closed form.
  void (*build)(const ClusterSpec&, std::int32_t domains, NetworkGraph& out);
  // Whether `links` depends on the size of the machine, ClusterSpec::nodes (0 = no larger than the group).
  bool sized = false;
  bool is_meshed = false;  // the GPUs of a node: each with a link to every other, instead of switches
  bool has_rings = false;  // between domains, along ClusterSpec::dims
};

[[nodiscard]] std::span<const Topology* const> topology_table();  // sorted by name; ids index it
[[nodiscard]] inline const Topology& topology_of(const ClusterSpec& cluster) {
  return *topology_table()[at(cluster.topology.index())];
}
[[nodiscard]] inline GroupLinks links_of(const GroupSpan& span, const ClusterSpec& cluster,
                                         const GpuSpec& gpu, Traffic traffic = Traffic::neighbours) {
  return topology_of(cluster).links(span, traffic, cluster, gpu);
}

}  // namespace echo::machine
