// The channels that NCCL would build over a node: their number, and bandwidth within and between nodes.
#pragma once

#include <cstdint>

namespace echo::collective {

struct ChannelGraph {
  std::int32_t channels = 0;
  double intra = 0.0, inter = 0.0;  // GB/s per channel
};

// Input of the search for one node of the group.
struct NodeLinks {
  std::int32_t compute_capability = 80;
  std::int32_t ranks = 8;  // of the group, on the node
  bool multi_node = false;
  double nvlink = 240.0;   // GB/s per GPU and direction, as NCCL counts links
  std::int32_t rails = 8;  // NICs of the group on the node
  double rail = 25.0;      // GB/s each
};

[[nodiscard]] ChannelGraph ring_graph(const NodeLinks&);
[[nodiscard]] ChannelGraph tree_graph(const NodeLinks&, const ChannelGraph& ring);
[[nodiscard]] ChannelGraph nvls_graph(const NodeLinks&);  // one channel headed by each of 32 GPUs at most

// Heads of a node that send into the network: one channel each, at the rate of one NIC.
[[nodiscard]] ChannelGraph collnet_direct_graph(const NodeLinks&);

// CTAs that a ring or tree kernel may use: NCCL duplicates every channel, and uses Hopper's few fast network
// channels four times.
[[nodiscard]] std::int32_t communicator_channels(const NodeLinks&, const ChannelGraph& ring);

// NVLink rate as NCCL counts it, GB/s per direction, from the data sheet's: links times its own per-link
// figure. PCIe counts for three quarters of the data sheet's: 12 GB/s for 16.
[[nodiscard]] double counted_nvlink(std::int32_t compute_capability, double data_sheet);
[[nodiscard]] constexpr double counted_pcie(double data_sheet) { return 0.75 * data_sheet; }

}  // namespace echo::collective
