// CollNet direct: GPUs of a node distribute their parts to its heads, one per NIC; each head sends its sum
// into the network, whose switches add up all nodes (SHARP) and send it back; heads distribute the result. A
// NIC carries the message's share once per direction, whatever the number of nodes.
//   T = 2 (hop + arity (q-1)) + network hop + 2 S (q-1)/q / nvlink || S / network
// Source: NVIDIA/nccl graph/tuning.cc (estimate; arity 0.4 us per further rank), enqueue.cc (channels);
// rates as rings reach them, hops of NCCL's own tables. HBM traffic: own parts read, others' written and
// read; the sum staged and taken from the network; the result written to all, read and copied out: averaged
// over a node's GPUs 6 bytes per byte (device/all_reduce.h). Neglected: gathers (they need a plug-in that
// gathers), the depth of the trees of switches.
#include <algorithm>

#include "collective/collnet.hpp"
#include "collective/wire.hpp"

namespace echo::collective::algorithms {
namespace {

using ops::Protocol;

bool applies(const Call& call, const Communicator& c, Protocol p) {
  return p == Protocol::simple && call.kind == ops::CollectiveKind::all_reduce && has_collnet(c) &&
         c.switched;
}

double arity(const Communicator& c) { return c.tables->collnet_arity * (c.per_node - 1); }

double nccl_time(const Call& call, const Communicator& c, Protocol p) {
  const double heads = c.collnet_direct.channels;
  double factor = c.per_node / heads;  // GPUs to a NIC
  factor -= (factor - 1.0) / 2.0;
  double bus = heads * c.collnet_direct.intra / factor;
  if (c.compute_capability >= 90) bus *= 0.85;
  const double intra = c.per_node > 1 ? table_intra_hop(c, NcclAlgorithm::collnet_direct, p) : 0.0;
  const double latency = c.tables->base[row_of(NcclAlgorithm::collnet_direct)][index_of(p)] +
                         2.0 * (intra + arity(c)) + table_inter_hop(c, NcclAlgorithm::collnet_direct, p);
  return latency + static_cast<double>(call.bytes) / (500.0 * bus);
}

// Threads are reduced first where each would have less than its threshold, faster the fewer channels are
// left.
std::int32_t channels(const Call& call, const Communicator& c, Protocol) {
  std::int32_t n = c.channels;
  std::int64_t threshold = 512;
  const std::int64_t threads = std::int64_t{640} * c.collnet_direct.channels;
  for (std::int32_t to = 16; to >= 1; to /= 2) {
    while (call.bytes < n * threads * threshold && n > to) {
      if (n == to + to / 2) threshold /= 2;
      --n;
    }
    if (call.bytes >= n * threads * threshold) break;
  }
  return n;
}

Cost time(const Call& call, const Communicator& c, Protocol p, const NetworkConstants& k) {
  const double bytes = static_cast<double>(call.bytes);
  PartedTime latency = as_latency(inter_hop(c, NcclAlgorithm::collnet_direct, p, k));
  PartedTime wire = bytes / (1000.0 * network_rate(c, p, k));
  if (c.per_node > 1) {
    latency += as_latency(2.0 * (intra_hop(c, NcclAlgorithm::collnet_direct, p, k) + arity(c)));
    const double inside = 2.0 * bytes * (c.per_node - 1) / c.per_node;
    wire = longer(wire, inside / (1000.0 * nvlink_rate(c, p, c.channels, k)));
  }
  return {latency + wire, 6.0 * bytes};
}

}  // namespace

extern const Algorithm collnet_direct;
const Algorithm collnet_direct{.id = NcclAlgorithm::collnet_direct,
                               .source = "NVIDIA/nccl graph/tuning.cc, enqueue.cc",
                               .applies = applies,
                               .nccl_time = nccl_time,
                               .channels = channels,
                               .time = time};

}  // namespace echo::collective::algorithms
