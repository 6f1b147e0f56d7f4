// DeepEP's dispatch and combine (its "normal" kernels): an all-to-all of tokens in which a few SMs write
// directly into the peers' memory over NVLink, and over RDMA to the same GPU of other nodes, which forwards.
//   T = 43 us + 30 us log2(N) + max(S q/n / (0.75 NVLink), S (n-q)/n / (0.92 NIC share of a GPU))
// Source: deepseek-ai/DeepEP docs/legacy.md: 153 and 158 GB/s inside eight H800 of 200 GB/s (0.77, 0.79),
// own tokens counted; 20 SMs by default (Buffer.num_sms). ai-dynamo/aiconfigurator,
// wideep_deepep_normal_perf, H100 with 20 SMs: 8192 tokens to eight GPUs at 329 and 337 GB/s of 450 (0.73,
// 0.75), to four nodes at 46.5 and 46.1 GB/s of NICs of 50 (0.93, 0.92); one token takes 37 (dispatch) and
// 48 us (combine) inside a node, 59 and 84 on two nodes with the exchange of counts, 100 and 124 on four.
// HBM traffic: read, written where it arrives, read and written out of the buffer. Neglected: eight nodes
// and more, for which that table shows half the rate; fewer SMs; the low-latency kernels.
#include <algorithm>

#include "collective/wire.hpp"

namespace echo::collective::algorithms {
namespace {

using ops::Protocol;

constexpr double start = 43.0, per_doubling = 30.0;  // us
constexpr double nvlink_share = 0.75, network_share = 0.92;
constexpr std::int32_t multiprocessors = 20;

bool applies(const Call& call, const Communicator& c, Protocol p) {
  return c.calls(ops::CommKernel::deepep) && call.kind == ops::CollectiveKind::all_to_all &&
         p == Protocol::simple && c.compute_capability >= 80 &&
         (c.per_node == 1 || c.inside == Level::nvlink);
}

double nccl_time(const Call&, const Communicator&, Protocol) { return 0.0; }  // NCCL is not asked

std::int32_t channels(const Call&, const Communicator&, Protocol) { return multiprocessors; }

Cost time(const Call& call, const Communicator& c, Protocol, const NetworkConstants&) {
  const double bytes = static_cast<double>(call.bytes), ranks = c.ranks;
  PartedTime wire;
  if (c.per_node > 1)
    wire = bytes * c.per_node / ranks / Rate{.value = 1000.0 * c.nvlink * nvlink_share, .scale_up = true};
  if (c.multi_node()) {
    const Rate nic{.value = 1000.0 * c.network / c.per_node * network_share, .scale_out = true};
    wire = longer(wire, bytes * (ranks - c.per_node) / ranks / nic);
  }
  return {as_latency(start + per_doubling * c.tree_depth() + 2.0 * c.hop_latency * (c.multi_node() ? 1 : 0)) +
              wire,
          4.0 * bytes};
}

}  // namespace

extern const Algorithm deepep;
const Algorithm deepep{.id = NcclAlgorithm::deepep,
                       .source = "deepseek-ai/DeepEP docs/legacy.md",
                       .applies = applies,
                       .nccl_time = nccl_time,
                       .channels = channels,
                       .time = time};

}  // namespace echo::collective::algorithms
