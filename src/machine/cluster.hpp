// Nodes, their links, and the fabric between them. Loaded from sweeps/catalog/{clusters,fabrics}/*.toml.
#pragma once

#include <cstdint>
#include <string>

#include "base/id.hpp"
#include "base/units.hpp"
#include "machine/gpu.hpp"

namespace echo::machine {

using ClusterId = Id<struct ClusterTag>;
using TopologyId = Id<struct TopologyTag>;  // index into the topology plug-in table

struct LinkSpec {
  BytesPerSecond bandwidth;
  SimTime latency{};
  friend bool operator==(const LinkSpec&, const LinkSpec&) = default;
};

enum class CpuVendor : std::int8_t { intel, amd, arm };

struct ClusterSpec {
  std::string name;
  GpuId gpu;
  std::int32_t gpus_per_node = 8;
  std::int32_t nodes = 0;            // how many there are; 0 = any number
  std::int32_t scale_up_domain = 8;  // GPUs that share the scale-up network (72 on NVL72)
  LinkSpec scale_up;                 // per GPU, one direction
  LinkSpec scale_out;                // per NIC, one direction; latency of one hop through the fabric
  std::int32_t nics_per_node = 8;
  TopologyId topology;
  double oversubscription = 1.0;    // leaf uplink: downlink bandwidth over uplink bandwidth
  std::int32_t nodes_per_leaf = 0;  // nodes (or rails' ports) under one leaf switch; 0 = all
  CpuVendor cpu = CpuVendor::intel;
  BytesPerSecond host_memory;         // of a node, all sockets together; 0 = not known
  std::int32_t nccl_version = 22105;  // as NCCL prints it: 2.21.5
  std::string network;                // name of the collective constants it is priced with
  std::string source;
  friend bool operator==(const ClusterSpec&, const ClusterSpec&) = default;
};

}  // namespace echo::machine
