// HybridEP's dispatch and combine: an all-to-all of tokens whose thread blocks move chunks by TMA, directly
// into the peers' memory over NVLink and over RDMA to the same GPU of other NVLink domains, which forwards.
//   T = start + max(S (n-1)/n / (0.69 NVLink), S (m-1)/m / (w NIC share of a GPU))    m NVLink domains
//   start = 20 us per doubling of the domain's ranks beyond 4, or 80 us where several domains take part
//   w     = 0.68 between two domains, 0.78 between three, 0.88 from four on
// Source: deepseek-ai/DeepEP, branch hybrid-ep, docs/README_Hybrid-EP.md, 4096 tokens of 7168 channels to 8
// of 8 experts per rank. Kernel times of 16 bit on GB200 with 32 SMs, own tokens not counted: 615 to 669
// GB/s (dispatch) and 580 to 645 (combine) on 8 to 36 ranks with 900 of NVLink, 0.64 to 0.74; on B200 with
// 16 SMs 0.66 and 0.71. H100, 8 and 16 SMs: 31 to 38 GB/s leave each NIC of 50 between two nodes, 43.1 to
// 43.7 between four and eight. The start is what the calls take beyond the kernel and beyond copying the
// tokens between the caller's memory and the registered buffers (which the permutation does instead,
// workload/mixture/exchange.cpp): 21 to 96 us on 8 to 36 ranks of GB200 (copies at 6 TB/s), 55 to 110 us on 2
// to 8 nodes. 32 SMs: Megatron-Bridge scripts/performance/utils/overrides.py, moe_hybridep_num_sms. HBM
// traffic: read, written where it arrives, read and written out of the buffer. Neglected: fewer SMs, the
// difference between dispatch and combine, 8-bit tokens.
#include <algorithm>
#include <cmath>

#include "collective/wire.hpp"

namespace echo::collective::algorithms {
namespace {

using ops::Protocol;

constexpr double start_per_doubling = 20.0, start_across = 80.0;  // us
constexpr double nvlink_share = 0.69;
constexpr double two_domains = 0.68, four_domains = 0.88;  // shares of the NIC
constexpr std::int32_t multiprocessors = 32;

bool applies(const Call& call, const Communicator& c, Protocol p) {
  return c.calls(ops::CommKernel::hybridep) && call.kind == ops::CollectiveKind::all_to_all &&
         p == Protocol::simple && c.compute_capability >= 90 &&
         (c.per_node == 1 || c.inside == Level::nvlink);
}

double nccl_time(const Call&, const Communicator&, Protocol) { return 0.0; }  // NCCL is not asked

std::int32_t channels(const Call&, const Communicator&, Protocol) { return multiprocessors; }

double network_share(std::int32_t nodes) {
  return two_domains + (four_domains - two_domains) * (std::clamp(nodes, 2, 4) - 2) / 2.0;
}

double start_inside(std::int32_t ranks) { return start_per_doubling * std::log2(std::max(ranks, 4) / 4.0); }

Cost time(const Call& call, const Communicator& c, Protocol, const NetworkConstants&) {
  const double bytes = static_cast<double>(call.bytes);
  PartedTime wire;
  if (c.per_node > 1) {
    const Rate nvlink{.value = 1000.0 * c.nvlink * nvlink_share, .scale_up = true};
    wire = bytes * (c.per_node - 1) / c.ranks / nvlink;
  }
  if (c.multi_node()) {
    const Rate nic{.value = 1000.0 * c.network / c.per_node * network_share(c.nodes), .scale_out = true};
    wire = longer(wire, bytes * (c.ranks - c.per_node) / c.ranks / nic);
  }
  return {as_latency(c.multi_node() ? start_across : start_inside(c.per_node)) + wire, 4.0 * bytes};
}

}  // namespace

extern const Algorithm hybridep;
const Algorithm hybridep{.id = NcclAlgorithm::hybridep,
                         .source = "deepseek-ai/DeepEP, branch hybrid-ep, docs/README_Hybrid-EP.md",
                         .applies = applies,
                         .nccl_time = nccl_time,
                         .channels = channels,
                         .time = time};

}  // namespace echo::collective::algorithms
