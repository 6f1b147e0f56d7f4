// One message from a GPU to another, as exchanged by pipeline stages: over NVLink inside a node, else over
// the NIC share of one GPU.
//   T = base (+ Simple's hand-shake) + hop + the first chunk's fill + bytes / rate
// Source: NVIDIA/nccl enqueue.cc (addP2pToPlan), graph/paths.cc (channels per peer). NVLink constants are
// fitted with all-to-all, the NIC's rate with rings: one flow per NIC has no incast. HBM traffic: that of
// the receiver, the heavier side: incoming write, read, write: 3 bytes per byte. Neglected: a stage that
// sends and receives at once shares no link direction, so both run at full rate.
#include <algorithm>
#include <cmath>

#include "collective/p2p.hpp"
#include "collective/wire.hpp"

namespace echo::collective::algorithms {
namespace {

using ops::Protocol;

bool applies(const Call& call, const Communicator& c, Protocol p) {
  if (call.kind != ops::CollectiveKind::send_recv) return false;
  const bool is_short = short_message(static_cast<double>(call.bytes), c);
  return p == (is_short ? Protocol::ll : Protocol::simple) && c.ranks > 1;
}

double nccl_time(const Call&, const Communicator&, Protocol) { return 0.0; }  // the only method

double busy(const Call& call, const Communicator& c, Protocol p) {
  return std::min<double>(c.p2p_channels,
                          channels_filled(static_cast<double>(call.bytes), peer_channels(c), p, c));
}

std::int32_t channels(const Call& call, const Communicator& c, Protocol p) {
  return static_cast<std::int32_t>(std::ceil(busy(call, c, p)));
}

Cost time(const Call& call, const Communicator& c, Protocol p, const NetworkConstants& k) {
  const double bytes = static_cast<double>(call.bytes), share = p == Protocol::simple ? 1.0 : 0.5;
  PartedTime latency = as_latency(k.p2p_base + (p == Protocol::simple ? k.p2p_simple : 0.0));
  latency += as_fixed(k.p2p_ramp * fill_time(c, bytes, peer_channels(c)));
  Rate rate{.value = c.nvlink * k.p2p_rate, .scale_up = true};
  if (p == Protocol::ll) rate = slower(rate, nvlink_rate(c, p, busy(call, c, p), k));
  if (c.multi_node()) {
    latency += as_latency(inter_hop(c, NcclAlgorithm::ring, p, k));
    rate = {.value = c.network / c.per_node * k.network_rate * share, .scale_out = true};
  }
  return {latency + bytes / (1000.0 * rate), 3.0 * bytes};
}

}  // namespace

extern const Algorithm send_recv;
const Algorithm send_recv{.id = NcclAlgorithm::send_recv,
                          .source = "NVIDIA/nccl enqueue.cc, graph/paths.cc",
                          .applies = applies,
                          .nccl_time = nccl_time,
                          .channels = channels,
                          .time = time};

}  // namespace echo::collective::algorithms
