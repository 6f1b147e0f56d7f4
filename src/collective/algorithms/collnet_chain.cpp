// CollNet chain: a chain through the node sums towards one GPU per channel, which sends into the network;
// the switches add up all nodes (SHARP), and the chain brings the result back.
//   T = 2 (q-1) hop + network hop + 2 S / nvlink || S / network
// Source: NVIDIA/nccl graph/tuning.cc, 2.18 and later; rates as rings reach them, hops of NCCL's own tables.
// HBM traffic as of a tree: up and down each write, read and combine or copy: 6 bytes per byte; one GPU per
// channel stages the data that leaves the node. Neglected: unequal chains.
#include <algorithm>

#include "collective/collnet.hpp"
#include "collective/wire.hpp"

namespace echo::collective::algorithms {
namespace {

using ops::Protocol;

bool applies(const Call& call, const Communicator& c, Protocol p) {
  return p == Protocol::simple && call.kind == ops::CollectiveKind::all_reduce && has_collnet(c);
}

double nccl_time(const Call& call, const Communicator& c, Protocol p) {
  const double bus =
      c.tree.channels * c.tree.intra;  // the search gives chains the rings' count and the trees' speed
  const double latency = c.tables->base[row_of(NcclAlgorithm::collnet_chain)][index_of(p)] +
                         2.0 * (c.per_node - 1) * table_intra_hop(c, NcclAlgorithm::collnet_chain, p) +
                         table_inter_hop(c, NcclAlgorithm::collnet_chain, p);
  return latency + static_cast<double>(call.bytes) / (500.0 * bus);
}

std::int32_t channels(const Call& call, const Communicator& c, Protocol) {
  constexpr std::int64_t least = 640 * 512;  // bytes of a channel: threads times their threshold
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(call.bytes / least, 1, c.channels));
}

Cost time(const Call& call, const Communicator& c, Protocol p, const NetworkConstants& k) {
  const double bytes = static_cast<double>(call.bytes);
  PartedTime latency = as_latency(inter_hop(c, NcclAlgorithm::collnet_chain, p, k));
  PartedTime wire = bytes / (1000.0 * network_rate(c, p, k));
  if (c.per_node > 1) {
    latency += as_latency(2.0 * (c.per_node - 1) * intra_hop(c, NcclAlgorithm::collnet_chain, p, k));
    wire = longer(wire, 2.0 * bytes / (1000.0 * nvlink_rate(c, p, c.channels, k)));
  }
  return {latency + wire, (6.0 + staged_bytes / c.per_node) * bytes};
}

}  // namespace

extern const Algorithm collnet_chain;
const Algorithm collnet_chain{.id = NcclAlgorithm::collnet_chain,
                              .source = "NVIDIA/nccl graph/tuning.cc",
                              .applies = applies,
                              .nccl_time = nccl_time,
                              .channels = channels,
                              .time = time};

}  // namespace echo::collective::algorithms
