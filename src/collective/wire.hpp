// What the algorithms share: chunk sizes, thread thresholds, link rates as reached, and how latency joins
// wire time.
#pragma once

#include "collective/algorithm.hpp"

namespace echo::collective {

// Hops as they turn out are scaled from one set of tables whatever version chooses: 2.23, the first with the
// present figures for trees.
inline constexpr std::int32_t physical_tables = 22300;

constexpr std::size_t index_of(ops::Protocol p) { return static_cast<std::size_t>(p); }
constexpr double share_of_line(ops::Protocol p) {  // payload in what crosses the wire
  return p == ops::Protocol::ll ? 0.5 : p == ops::Protocol::ll128 ? 120.0 / 128.0 : 1.0;
}

// One constant per protocol, picked.
[[nodiscard]] double base_factor(const NetworkConstants&, ops::Protocol);
[[nodiscard]] double intra_factor(const NetworkConstants&, ops::Protocol);
[[nodiscard]] double inter_factor(const NetworkConstants&, ops::Protocol);
[[nodiscard]] double nvlink_share(const NetworkConstants&, ops::Protocol);

// NCCL's own hop latencies, us.
[[nodiscard]] double table_intra_hop(const Communicator&, NcclAlgorithm, ops::Protocol);
[[nodiscard]] double table_inter_hop(const Communicator&, NcclAlgorithm, ops::Protocol);
// As they turn out: scaled by the fitted factors; a network hop adds delay and switches.
[[nodiscard]] double intra_hop(const Communicator&, NcclAlgorithm, ops::Protocol, const NetworkConstants&);
[[nodiscard]] double inter_hop(const Communicator&, NcclAlgorithm, ops::Protocol, const NetworkConstants&);

// Payload rates in GB/s: of one GPU's NVLink under so many CTAs, and of one node's NICs.
[[nodiscard]] Rate nvlink_rate(const Communicator&, ops::Protocol, double busy_channels,
                               const NetworkConstants&);
[[nodiscard]] Rate network_rate(const Communicator&, ops::Protocol, const NetworkConstants&);

// us that a call of so many channels waits for its operations to be posted: under LL, whose lines pass
// through the host's memory, at each of the hops; else once, and half of it.
[[nodiscard]] double posting(const NetworkConstants&, ops::Protocol, std::int32_t channels, double hops);

// base + (latency^k + wire^k)^(1/k): hops and wire partly hide each other in a pipelined kernel. k = overlap
// >= 1.
[[nodiscard]] PartedTime joined(double base, PartedTime latency, PartedTime wire, double overlap);

// HBM bytes that a byte costs its sender where it leaves for the network: written to a buffer in the GPU's
// memory that the NIC reads (GPUDirect RDMA; inside a node a GPU writes into its peer's). Source:
// NVIDIA/nccl transport/net.cc.
inline constexpr double staged_bytes = 2.0;

// CTAs left once each thread must have at least its threshold of bytes; the fraction keeps rates from
// jumping. Source: enqueue.cc, getChannnelThreadInfo.
[[nodiscard]] double busy_channels(const Call&, const Communicator&, ops::Protocol, bool ring);
[[nodiscard]] std::int32_t channels_for(const Call&, const Communicator&, ops::Protocol, bool ring);

[[nodiscard]] bool is_gather(ops::CollectiveKind);  // all-gather or reduce-scatter
[[nodiscard]] bool ll128_allowed(const Communicator&);

}  // namespace echo::collective
