// All-to-all: n sends and n receives in one kernel, no relaying.
//   T = base + peers * per peer (+ Simple's hand-shake) (+ one network hop) + the first chunk's fill
//       + max(S (q-1+end)/n / nvlink per GPU, S (n-q)/n / NIC share per GPU)
// NCCL has one method for it, so the only choice to reproduce is LL for short messages. Source: NVIDIA/nccl
// enqueue.cc (scheduleP2pTasksToPlan), init.cc (schedule of peers); constants fitted. HBM traffic: each byte
// sent is read, and as much is received: write, read, write: 4 bytes per byte that leaves the GPU, and
// staging where it leaves the node. Neglected: incast, skewed splits, PXN aggregation.
#include <algorithm>
#include <cmath>

#include "collective/p2p.hpp"
#include "collective/wire.hpp"

namespace echo::collective::algorithms {
namespace {

using ops::Protocol;

double per_peer(const Call& call, const Communicator& c) { return static_cast<double>(call.bytes) / c.ranks; }

bool applies(const Call& call, const Communicator& c, Protocol p) {
  if (call.kind != ops::CollectiveKind::all_to_all) return false;
  const bool is_short = short_message(per_peer(call, c), c);
  return p == (is_short ? Protocol::ll : Protocol::simple);
}

double nccl_time(const Call&, const Communicator&, Protocol) { return 0.0; }  // the only method

double busy(const Call& call, const Communicator& c, Protocol p) {
  const double each = channels_filled(per_peer(call, c), channels_each(c, c.ranks), p, c);
  return std::min<double>(each * (c.ranks - 1), c.p2p_channels);
}

std::int32_t channels(const Call& call, const Communicator& c, Protocol p) {
  return static_cast<std::int32_t>(std::ceil(busy(call, c, p)));
}

Cost time(const Call& call, const Communicator& c, Protocol p, const NetworkConstants& k) {
  const double bytes = static_cast<double>(call.bytes), leaves = bytes * (c.ranks - 1) / c.ranks;
  const double out = bytes * (c.ranks - c.per_node) / c.ranks;
  PartedTime latency =
      as_latency(k.p2p_base + k.p2p_peer * (c.ranks - 1) + (p == Protocol::simple ? k.p2p_simple : 0.0));
  const double share = p == Protocol::simple ? 1.0 : 0.5;
  latency += as_fixed(k.p2p_ramp * fill_time(c, per_peer(call, c), channels_each(c, c.ranks)));
  const double inside = bytes * (c.per_node - 1 + k.p2p_end) / c.ranks;
  Rate rate{.value = c.nvlink * k.p2p_rate, .scale_up = true};
  if (p == Protocol::ll) rate = slower(rate, nvlink_rate(c, p, busy(call, c, p), k));
  PartedTime wire = inside / (1000.0 * rate);
  if (c.multi_node()) {
    latency += as_latency(inter_hop(c, NcclAlgorithm::ring, p, k));
    const Rate nic{.value = c.network / c.per_node * k.p2p_network_rate * share, .scale_out = true};
    wire = longer(wire, out / (1000.0 * nic));
  }
  return {latency + wire, 4.0 * leaves + staged_bytes * out};
}

}  // namespace

extern const Algorithm pairwise;
const Algorithm pairwise{.id = NcclAlgorithm::pairwise,
                         .source = "NVIDIA/nccl enqueue.cc, init.cc",
                         .applies = applies,
                         .nccl_time = nccl_time,
                         .channels = channels,
                         .time = time};

}  // namespace echo::collective::algorithms
