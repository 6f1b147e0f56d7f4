// One communicator as NCCL would set it up: tables, graphs and channel counts, from its shape, links and
// settings.
#pragma once

#include "collective/channel_graph.hpp"
#include "collective/nccl_tables.hpp"
#include "machine/topology.hpp"
#include "ops/collective.hpp"

namespace echo::collective {

// Rates in GB/s (1e9 B/s), times in us: NCCL's own units, so that its formulas stay recognisable.
struct Communicator {
  const NcclTables* tables = nullptr;
  std::int32_t ranks = 1, nodes = 1, per_node = 1;  // a node: GPUs that share the scale-up network
  Arch arch = Arch::ampere;
  std::int32_t compute_capability = 80;
  machine::CpuVendor cpu = machine::CpuVendor::intel;
  Level inside = Level::nvlink;
  double nvlink = 0.0;       // data sheet, per GPU and direction
  double network = 0.0;      // of one node, all rails of this group
  double hop_latency = 0.0;  // us, one hop through the fabric
  ops::CommLibrary library = ops::CommLibrary::nccl;
  std::int32_t kernels = 0;  // bits of ops::CommKernel
  bool sharp = false;        // the network's switches reduce
  bool switched = false;     // the node has NVSwitches: more than two GPUs on NVLink
  ChannelGraph ring, tree, nvls, collnet_direct;
  bool same_channels = true;  // all rings visit the node's GPUs in the same order: one node, or one NIC
  std::int32_t channels = 0, nvls_channels = 0, p2p_channels = 0;  // CTAs

  [[nodiscard]] bool multi_node() const { return nodes > 1; }
  [[nodiscard]] bool calls(ops::CommKernel kernel) const { return ops::has(kernels, kernel); }
  [[nodiscard]] std::size_t span() const { return static_cast<std::size_t>(nodes <= 2 ? nodes - 1 : 2); }
  [[nodiscard]] std::int32_t tree_depth() const;  // floor(log2(nodes))
};

[[nodiscard]] Communicator set_up(const machine::GroupSpan&, const machine::GroupLinks&,
                                  const ops::CommSettings&, std::int32_t nccl_version);

}  // namespace echo::collective
