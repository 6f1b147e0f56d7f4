// Nodes, their links, and the fabric between them. Loaded from sweeps/catalog/{clusters,fabrics}/*.toml.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/id.hpp"
#include "base/units.hpp"
#include "machine/fabric.hpp"
#include "machine/given_machine.hpp"
#include "machine/gpu.hpp"
#include "machine/memory_tier.hpp"
#include "machine/network_graph.hpp"
#include "machine/packet_preset.hpp"

namespace echo::machine {

using ClusterId = Id<struct ClusterTag>;
using TopologyId = Id<struct TopologyTag>;  // index into the topology plug-in table

struct LinkSpec {
  BytesPerSecond bandwidth;
  SimTime latency{};
  friend bool operator==(const LinkSpec&, const LinkSpec&) = default;
};

// A fabric given link by link, and the bandwidth that its routing leaves each GPU while all GPUs send.
struct GivenFabric {
  NetworkGraph graph;                 // no vertices: none was given
  BytesPerSecond shifted, all_pairs;  // to the like GPU any number of domains on, the slowest; to all
  SimTime shifted_latency{}, all_pairs_latency{};  // the longest, the mean
  friend bool operator==(const GivenFabric&, const GivenFabric&) = default;
};

// Electric power of a node beside its GPUs, in watts; all 0 = unknown.
struct NodePower {
  double host = 0.0;               // processors, memory, NICs, switches on the board, storage
  double fans = 0.0;               // 0 where liquid cools it
  double supply_efficiency = 0.0;  // of the power supplies: what arrives inside over what is drawn
  friend bool operator==(const NodePower&, const NodePower&) = default;
};

enum class CpuVendor : std::int8_t { intel, amd, arm };

struct ClusterSpec {
  std::string name;
  GpuId gpu;
  std::int32_t gpus_per_node = 8;
  std::int32_t nodes = 0;            // 0 = any number
  std::int32_t scale_up_domain = 8;  // GPUs that share the scale-up network (72 on NVL72)
  LinkSpec scale_up;                 // per GPU, one direction
  LinkSpec scale_out;                // per NIC, one direction; latency of one hop through the fabric
  std::int32_t nics_per_node = 8;
  TopologyId topology;
  double oversubscription = 1.0;    // leaf uplink: downlink bandwidth over uplink bandwidth
  std::int32_t nodes_per_leaf = 0;  // nodes (or rails' ports) under one leaf switch or router; 0 = all
  std::int32_t leaves_per_pod = 0;  // leaves per pod, routers per dragonfly group; 0 = all
  double spine_oversubscription =
      1.0;                  // of the links that leave a pod or group: bandwidth of its nodes over theirs
  std::int32_t groups = 0;  // dragonfly groups, including those the job leaves idle; 0 = those it uses
  std::array<std::int32_t, 3> dims{};  // of a torus of domains, the last fastest; 0 = as cubic as possible
  std::int32_t planes = 2;             // of dual_plane
  GivenFabric given;                   // of topology "file"
  GivenMachine dimensions;             // none: what is above
  Fabric fabric = Fabric::infiniband;
  Routing routing = Routing::adaptive;
  CongestionControl congestion_control = CongestionControl::none;
  NicId nic;  // none: as the packet simulator has it; as is the switch
  SwitchId network_switch;
  std::vector<PacketSetting> packets;  // in place of what its NIC and its switch say
  CpuVendor cpu = CpuVendor::intel;
  double host_time_factor = 1.0;                        // time of a framework's call over that on a DGX H100
  BytesPerSecond host_memory;                           // per node, all sockets together; 0 = unknown
  Bytes host_capacity;                                  // of it, per node; 0 = unknown
  std::array<TierSpec, memory_tier_count - 1> tiers{};  // cxl, nvme, remote; machine::tier_of
  NodePower power;
  std::int32_t nccl_version = 22105;  // as NCCL prints it: 2.21.5
  bool sharp = false;                 // switches reduce (SHARP), and NCCL is set to use it
  bool rccl = false;                  // AMD's RCCL instead of NCCL
  bool launch_blocking = false;       // jobs run under CUDA_LAUNCH_BLOCKING=1
  std::string network;                // name of the collective constants used for prices
  std::string source;
  WhatIf what_if = WhatIf::none;
  friend bool operator==(const ClusterSpec&, const ClusterSpec&) = default;
};

}  // namespace echo::machine
