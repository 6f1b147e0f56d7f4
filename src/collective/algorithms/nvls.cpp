// NVLS: the NVSwitch reduces and multicasts (NVLink SHARP). Each GPU is the head of one slice: it reads the
// sum of all GPUs' copies in one load and writes the result to all in one store, so a GPU's link carries the
// message once, whatever the number of GPUs.
//   T = start + growth * chunk + S / rate + chunks of a channel * step
// Source: NVIDIA/nccl graph/tuning.cc (estimate; efficiency .85 on Hopper, .74 on Blackwell), enqueue.cc
// (chunks: 128 KiB, halved for short messages); start, growth, step and rate fitted. HBM traffic of
// unregistered buffers: copied in (2), read by the switch and written by it (2), copied out (2): 6 bytes per
// byte. A gather writes its part to all and copies all of them out; a reduce-scatter copies all in and reads
// the sums of its part: 3 bytes per byte and one for the part (device/all_gather.h, reduce_scatter.h). Over
// several nodes it needs switches that reduce (SHARP): heads send their sums into the network, and the
// slower of both networks sets the time. Neglected: user buffer registration (no copies), gathers over
// several nodes.
#include <algorithm>

#include "collective/nvls_chunk.hpp"
#include "collective/wire.hpp"

namespace echo::collective::algorithms {
namespace {

bool applies(const Call& call, const Communicator& c, ops::Protocol p) {
  if (p != ops::Protocol::simple || !has_nvls(c)) return false;
  if (c.multi_node()) return c.sharp && call.kind == ops::CollectiveKind::all_reduce;
  constexpr std::int32_t most = 32;  // local ranks a gather's kernel takes
  return call.kind == ops::CollectiveKind::all_reduce ||
         (is_gather(call.kind) && c.tables->nvls_gathers && c.per_node <= most);
}

double nccl_bandwidth(const Call& call, const Communicator& c) {
  const bool gather = is_gather(call.kind);
  const double local = (c.per_node - 1.0) / c.per_node;
  const std::int32_t n = c.nvls.channels;
  switch (c.tables->nvls) {
    case NvlsRule::none:
      break;
    case NvlsRule::first:
      return n * (c.nodes <= 2 ? c.nvls.intra : c.nvls.inter) * 5.0 / 6.0;
    case NvlsRule::flat: {
      const double bus = n * std::min(c.nvls.intra, c.nvls.inter);
      if (!gather) return bus * 5.0 / 6.0;
      if (c.tables->first_version < 22300) return bus * 5.0 / 6.0;
      return c.tables->first_version < 22700 ? bus : n * std::min(c.nvls.intra * local, c.nvls.inter * 0.9);
    }
    case NvlsRule::efficiency: {
      // The search leaves a network rate in the graph of one node too, and it may be the limit.
      const double reached = c.nvls.intra * nvls_efficiency(c) * (n - 1.0) / n;
      if (gather) return n * std::min(reached * local, c.nvls.inter);
      return n * std::min(2.0 * reached, c.nvls.inter) * c.ranks / (2.0 * (c.ranks - 1.0));
    }
  }
  return 1e-9;
}

double nccl_time(const Call& call, const Communicator& c, ops::Protocol p) {
  double latency =
      c.tables->base[row_of(NcclAlgorithm::nvls)][2] + table_intra_hop(c, NcclAlgorithm::nvls, p);
  if (c.multi_node()) latency += table_inter_hop(c, NcclAlgorithm::nvls, p);
  return latency + static_cast<double>(call.bytes) / (1000.0 * nccl_bandwidth(call, c));
}

std::int32_t channels(const Call&, const Communicator& c, ops::Protocol) {
  return c.multi_node() ? std::min(c.nvls_channels, c.channels) : c.nvls_channels;
}

Cost time(const Call& call, const Communicator& c, ops::Protocol p, const NetworkConstants& k) {
  const double bytes = static_cast<double>(call.bytes);
  const double chunk = nvls_chunk(call.bytes, c);
  const PartedTime start = as_latency(k.nvls_base + k.nvls_ramp * chunk / 1024.0);
  const PartedTime wire = nvls_wire(bytes, chunk, c, k);
  if (!c.multi_node()) return {start + wire, (is_gather(call.kind) ? 3.0 + 1.0 / c.ranks : 6.0) * bytes};
  const PartedTime hop = as_latency(inter_hop(c, NcclAlgorithm::nvls, p, k));
  return {start + hop + longer(wire, bytes / (1000.0 * network_rate(c, p, k))),
          (6.0 + nvls_network_bytes(c)) * bytes};
}

}  // namespace

extern const Algorithm nvls;
const Algorithm nvls{.id = NcclAlgorithm::nvls,
                     .source = "NVIDIA/nccl graph/tuning.cc, enqueue.cc",
                     .applies = applies,
                     .nccl_time = nccl_time,
                     .channels = channels,
                     .time = time};

}  // namespace echo::collective::algorithms
