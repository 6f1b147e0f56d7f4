// NVLS inside the node, a double binary tree of the heads between nodes: all-reduce only, two nodes or more.
//   T = start + growth * chunk + posting + 2 log2(N) (hop + chunk / channel)
//       + max(as NVLS, (1 or 2) S / network + chunks * step)
// Each head has channels of its own, so that one channel has the node's NICs over heads * channels: a chunk
// of 128 KiB takes some 40 us at 50 GB/s per GPU. Two nodes exchange each byte once; more send up and down.
// Source: NVIDIA/nccl graph/tuning.cc, enqueue.cc; rates and latencies fitted with NVLS. HBM traffic as
// NVLS, plus the data that heads stage for the network and receive from it.
#include <algorithm>

#include "base/at.hpp"
#include "collective/nvls_chunk.hpp"
#include "collective/wire.hpp"

namespace echo::collective::algorithms {
namespace {

bool applies(const Call& call, const Communicator& c, ops::Protocol p) {
  return p == ops::Protocol::simple && call.kind == ops::CollectiveKind::all_reduce && c.multi_node() &&
         has_nvls(c);
}

double nccl_bandwidth(const Call& call, const Communicator& c) {
  const NcclTables& t = *c.tables;
  const std::int32_t n = c.nvls.channels;
  switch (t.nvls) {
    case NvlsRule::none:
      break;
    case NvlsRule::first:
      return n * (c.nodes <= 2 ? c.nvls.intra : c.nvls.inter) * 0.7 * c.nodes / (2.0 * (c.nodes - 1));
    case NvlsRule::flat:
      return n * std::min(c.nvls.intra, c.nodes <= 2 ? c.nvls.inter : 0.5 * c.nvls.inter) * 5.0 / 6.0;
    case NvlsRule::efficiency: {
      const double intra = 2.0 * c.nvls.intra * nvls_efficiency(c) * (n - 1.0) / n;
      const double inter = c.nvls.inter * (c.nodes <= 2 ? 2.0 : 1.0);
      const double cap = t.nvls_tree[at(c.arch)][c.span()];
      double bandwidth = n * std::min({intra, inter, cap}) * c.ranks / (2.0 * (c.ranks - 1));
      if (t.nvls_tree_correction && c.arch == Arch::blackwell && c.cpu != machine::CpuVendor::arm)
        bandwidth *= tree_correction(2, call.bytes, 24);
      return bandwidth;
    }
  }
  return 1e-9;
}

double nccl_time(const Call& call, const Communicator& c, ops::Protocol p) {
  const double crossings = c.tables->nvls == NvlsRule::first ? 2.0 * (c.nodes - 1) : 2.0 * c.tree_depth();
  const double latency = c.tables->base[row_of(NcclAlgorithm::nvls_tree)][2] +
                         table_intra_hop(c, NcclAlgorithm::nvls_tree, p) +
                         crossings * table_inter_hop(c, NcclAlgorithm::nvls_tree, p);
  return latency + static_cast<double>(call.bytes) / (1000.0 * nccl_bandwidth(call, c));
}

std::int32_t channels(const Call&, const Communicator& c, ops::Protocol) { return c.nvls_channels; }

Cost time(const Call& call, const Communicator& c, ops::Protocol p, const NetworkConstants& k) {
  const double bytes = static_cast<double>(call.bytes);
  const Rate network = network_rate(c, p, k);
  const double chunk = nvls_tree_chunk(call.bytes, c);
  const PartedTime hop = as_latency(inter_hop(c, NcclAlgorithm::nvls_tree, p, k)) +
                         k.chunk_ramp * chunk / (1000.0 * network / (c.nvls_channels * c.nvls.channels));
  const PartedTime start = as_latency(k.nvls_base + k.nvls_ramp * chunk / 1024.0 +
                                      posting(k, p, c.nvls_channels, c.tree_depth())) +
                           2.0 * c.tree_depth() * hop;
  const double times = c.nodes == 2 ? 1.0 : 2.0;  // that a byte passes a node's NICs, each way
  const PartedTime across = times * bytes / (1000.0 * network) +
                            as_fixed(k.network_step * bytes / (chunk * c.nvls_channels * c.nvls.channels));
  return {start + longer(nvls_wire(bytes, chunk, c, k), across),
          (6.0 + times * nvls_network_bytes(c)) * bytes};
}

}  // namespace

extern const Algorithm nvls_tree;
const Algorithm nvls_tree{.id = NcclAlgorithm::nvls_tree,
                          .source = "NVIDIA/nccl graph/tuning.cc, enqueue.cc",
                          .applies = applies,
                          .nccl_time = nccl_time,
                          .channels = channels,
                          .time = time};

}  // namespace echo::collective::algorithms
