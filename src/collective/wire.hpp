// Common parts of the algorithms: chunk sizes, thread thresholds, achieved link rates, and the combination of
// latency and wire time.
#pragma once

#include "collective/algorithm.hpp"

namespace echo::collective {

// Actual hop latencies are scaled from one set of tables for all versions: 2.23, the first with the current
// figures for trees.
inline constexpr std::int32_t physical_tables = 22300;

constexpr std::size_t index_of(ops::Protocol p) { return static_cast<std::size_t>(p); }
constexpr double share_of_line(ops::Protocol p) {  // payload share of the wire traffic
  return p == ops::Protocol::ll ? 0.5 : p == ops::Protocol::ll128 ? 120.0 / 128.0 : 1.0;
}

// The constant of a protocol.
[[nodiscard]] double base_factor(const NetworkConstants&, ops::Protocol);
[[nodiscard]] double intra_factor(const NetworkConstants&, ops::Protocol);
[[nodiscard]] double inter_factor(const NetworkConstants&, ops::Protocol);
[[nodiscard]] double nvlink_share(const NetworkConstants&, ops::Protocol);

// NCCL's own hop latencies, us.
[[nodiscard]] double table_intra_hop(const Communicator&, NcclAlgorithm, ops::Protocol);
[[nodiscard]] double table_inter_hop(const Communicator&, NcclAlgorithm, ops::Protocol);
// The actual values: scaled by the fitted factors; a network hop adds delay and switches.
[[nodiscard]] double intra_hop(const Communicator&, NcclAlgorithm, ops::Protocol, const NetworkConstants&);
[[nodiscard]] double inter_hop(const Communicator&, NcclAlgorithm, ops::Protocol, const NetworkConstants&);

// Payload rates in GB/s: of one GPU's NVLink with this many CTAs, and of one node's NICs.
[[nodiscard]] Rate nvlink_rate(const Communicator&, ops::Protocol, double busy_channels,
                               const NetworkConstants&);
[[nodiscard]] Rate network_rate(const Communicator&, ops::Protocol, const NetworkConstants&);

// us that a call with this many channels waits until its operations are posted: for LL, whose lines pass
// through host memory, at each of the hops; else once, and half as long.
[[nodiscard]] double posting(const NetworkConstants&, ops::Protocol, std::int32_t channels, double hops);

// base + (latency^k + wire^k)^(1/k): latency and wire time partly overlap in a pipelined kernel. k = overlap
// >= 1.
[[nodiscard]] PartedTime joined(double base, PartedTime latency, PartedTime wire, double overlap);

// HBM bytes of the sender per byte sent to the network: written to a buffer in the GPU's memory that the NIC
// reads (GPUDirect RDMA; inside a node each GPU writes into its peer's memory). Source:
// NVIDIA/nccl transport/net.cc.
inline constexpr double staged_bytes = 2.0;

// CTAs left if each thread must have at least its threshold of bytes; fractional, so that rates are
// continuous. Source: enqueue.cc, getChannnelThreadInfo.
[[nodiscard]] double busy_channels(const Call&, const Communicator&, ops::Protocol, bool ring);
[[nodiscard]] std::int32_t channels_for(const Call&, const Communicator&, ops::Protocol, bool ring);

[[nodiscard]] bool is_gather(ops::CollectiveKind);  // all-gather or reduce-scatter
[[nodiscard]] bool ll128_allowed(const Communicator&);

}  // namespace echo::collective
