// PAT: all-gather and reduce-scatter by parallel binomial trees, one for each rank's part, pipelined so that
// no buffer holds more than a few parts. log2(n) rounds, not n - 1 steps; every byte still crosses each NIC
// once. NCCL uses it only where each node holds one rank, as in data-parallel groups with one rank per node.
//   T = base + log2(n) (hop / 3.5 + switches) + n * per rank + S (n-1)/n / network
// Source: NVIDIA/nccl graph/tuning.cc (estimate: 1/3.5 of a tree's hop per round, 2.8 us per rank that its
// authors intend to remove), device/all_gather.h, 2.23 and later; the times are NCCL's, scaled as those of
// the ring were fitted: no published run shows PAT by itself. HBM traffic as of the ring with one GPU per
// node: incoming write, read, own read or write, and staging of the data it sends on: 5 bytes per byte.
// Neglected: rounds aggregated to chunks of several parts.
#include "collective/wire.hpp"

namespace echo::collective::algorithms {
namespace {

using ops::Protocol;

constexpr double of_a_hop = 1.0 / 3.5;  // a round's share of a network hop: rounds overlap
constexpr double per_rank = 2.8;        // us

bool applies(const Call& call, const Communicator& c, Protocol p) {
  return p == Protocol::simple && is_gather(call.kind) && c.tables->pat_share > 0.0 && c.nodes == c.ranks &&
         c.library == ops::CommLibrary::nccl;
}

double nccl_time(const Call& call, const Communicator& c, Protocol p) {
  const double bus = c.tables->pat_share * c.tree.channels * (c.nodes <= 2 ? c.tree.intra : c.tree.inter);
  const double latency = c.tables->base[row_of(NcclAlgorithm::pat)][index_of(p)] +
                         c.tree_depth() * table_inter_hop(c, NcclAlgorithm::pat, p) * of_a_hop +
                         c.ranks * per_rank;
  return latency + static_cast<double>(call.bytes) / (1000.0 * bus);
}

std::int32_t channels(const Call&, const Communicator& c, Protocol) { return c.channels; }

Cost time(const Call& call, const Communicator& c, Protocol p, const NetworkConstants& k) {
  const double bytes = static_cast<double>(call.bytes) * (c.ranks - 1) / c.ranks;
  const double table = nccl_tables(physical_tables).hop[2][row_of(NcclAlgorithm::pat)][index_of(p)];
  const double round = inter_factor(k, p) * table * of_a_hop + 2.0 * (k.network_delay + c.hop_latency);
  const double base =
      base_factor(k, p) * nccl_tables(physical_tables).base[row_of(NcclAlgorithm::pat)][index_of(p)];
  const PartedTime latency = as_latency(base + c.tree_depth() * round + c.ranks * per_rank);
  return {latency + bytes / (1000.0 * network_rate(c, p, k)), (3.0 + staged_bytes) * bytes};
}

}  // namespace

extern const Algorithm pat;
const Algorithm pat{.id = NcclAlgorithm::pat,
                    .source = "NVIDIA/nccl graph/tuning.cc, device/all_gather.h",
                    .applies = applies,
                    .nccl_time = nccl_time,
                    .channels = channels,
                    .time = time};

}  // namespace echo::collective::algorithms
