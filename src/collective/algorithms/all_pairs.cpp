// RCCL's all-pairs all-reduce, run by its MSCCL interpreter on one node of eight meshed GPUs up to 16 MiB:
// every GPU sends each peer its part, sums the parts it receives, and sends the sum back to all: two steps
// over all links at once, where a ring takes fourteen.
//   T = base + 2 hops + 2 S (n-1)/n / (share * links)
// Source: ROCm/rccl tools/msccl-algorithms (allreduce-allpairs-8n: LL with 32 thread blocks to 64 KiB, with
// 64 to 512 KiB, Simple to 16 MiB), read at 0cbce2a; hops and base as for rings, the share set by hand to
// the 8 MiB of AMD's log (ROCm blog Understanding RCCL Bandwidth and xGMI Performance). HBM traffic:
// received parts are written and read, and as much is read to be sent. Neglected: the files of the other
// sizes, for all-to-all.
#include "collective/wire.hpp"

namespace echo::collective::algorithms {
namespace {

using ops::Protocol;

constexpr std::int64_t most_bytes = 16 << 20, most_ll = 524287, few_blocks = 65536;
constexpr double link_share = 0.5, ll_share = 0.25;

bool applies(const Call& call, const Communicator& c, Protocol p) {
  if (c.library != ops::CommLibrary::rccl || call.kind != ops::CollectiveKind::all_reduce) return false;
  if (c.multi_node() || c.ranks != 8 || call.bytes > most_bytes) return false;
  return p == (call.bytes <= most_ll ? Protocol::ll : Protocol::simple);
}

double nccl_time(const Call&, const Communicator&, Protocol) { return 0.0; }  // taken before the estimates

std::int32_t channels(const Call& call, const Communicator&, Protocol) {
  return call.bytes <= few_blocks ? 32 : 64;
}

Cost time(const Call& call, const Communicator& c, Protocol p, const NetworkConstants& k) {
  const double sent = 2.0 * static_cast<double>(call.bytes) * (c.ranks - 1) / c.ranks;
  const double base =
      base_factor(k, p) * nccl_tables(physical_tables).base[row_of(NcclAlgorithm::ring)][index_of(p)];
  const PartedTime latency = as_latency(base + 2.0 * intra_hop(c, NcclAlgorithm::ring, p, k));
  const Rate rate{.value = 1000.0 * c.nvlink * (p == Protocol::ll ? ll_share : link_share), .scale_up = true};
  return {latency + sent / rate, 3.0 * sent / share_of_line(p)};
}

}  // namespace

extern const Algorithm all_pairs;
const Algorithm all_pairs{.id = NcclAlgorithm::all_pairs,
                          .source = "ROCm/rccl tools/msccl-algorithms",
                          .applies = applies,
                          .nccl_time = nccl_time,
                          .channels = channels,
                          .time = time};

}  // namespace echo::collective::algorithms
