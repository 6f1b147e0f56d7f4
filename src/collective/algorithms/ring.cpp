// Ring: every rank passes pieces to its neighbour; the one method that serves every collective.
//   steps = 2(n-1) all-reduce, n-1 otherwise; of these 2(N-1) or N-1 cross the network
//   one node:  T = base + || steps hop + fill , S (steps + end) / n / nvlink ||
//   several:   T = base + || a piece's way round , (steps + end) (S / n / network + messages * step) ||,
//              norm 4
// `fill` and `end` are the pipeline's fill and drain, the reason why 2 and 4 ranks reach less than 8.
// Between nodes a slice must arrive whole before it is forwarded (store and forward); inside a node LL and
// LL128 forward line by line, Simple by slices of half a piece. While the network's links are busy all the
// time, they hide the time inside the nodes. Source: NVIDIA/nccl device/all_reduce.h (steps),
// graph/tuning.cc (estimate), enqueue.cc (chunks); hops and rates fitted per network. HBM traffic per step
// and piece: the incoming write, its read, and the read or write of the own buffer: 3 bytes per byte on the
// bus ("it can be 3x", NVIDIA/nccl issue 1428); one GPU of a node stages the data that leaves it. Neglected:
// skew between ranks, unequal rails; buffers that are registered or shared by a process, which are written
// directly.
#include <algorithm>

#include "base/at.hpp"
#include "collective/rccl_tables.hpp"
#include "collective/wire.hpp"

namespace echo::collective::algorithms {
namespace {

using ops::CollectiveKind;
using ops::Protocol;

std::int32_t steps_of(const Call& call, const Communicator& c) {
  return call.kind == CollectiveKind::all_reduce ? 2 * (c.ranks - 1) : c.ranks - 1;
}

std::int32_t network_steps(const Call& call, const Communicator& c) {
  return call.kind == CollectiveKind::all_reduce ? 2 * (c.nodes - 1) : c.nodes - 1;
}

bool applies(const Call& call, const Communicator& c, Protocol p) {
  if (call.kind >= CollectiveKind::all_to_all) return false;  // nor send_recv, nor copies to the host
  if (c.library == ops::CommLibrary::rccl) return rccl_allows(c, NcclAlgorithm::ring, p);
  return p != Protocol::ll128 || ll128_allowed(c);
}

double nccl_bandwidth(const Call& call, const Communicator& c, Protocol p) {
  const NcclTables& t = *c.tables;
  double bus = c.ring.channels * (c.nodes <= 2 ? c.ring.intra : c.ring.inter);
  if (c.compute_capability == 80) bus = std::min(bus, t.ampere_bus_cap);
  if (p == Protocol::ll) {
    const bool heavy =
        c.multi_node() || call.kind == CollectiveKind::all_reduce || call.kind == CollectiveKind::reduce;
    const bool amd = c.cpu == machine::CpuVendor::amd;
    const std::size_t row = c.multi_node() ? (amd ? 1 : 0) : static_cast<std::size_t>(c.arch);
    bus = std::min(t.ll_max[row][c.span()], bus * (heavy ? t.ring_ll_share : t.ring_ll_share_gather));
  }
  if (p == Protocol::ll128) {
    const double share = c.ranks == c.nodes ? t.ring_ll128_single : 0.92;
    bus = std::min(bus * share, c.ring.channels * t.ring_ll128[at(c.arch)][c.span()]);
  }
  const bool gather = is_gather(call.kind);
  const double steps = call.kind == CollectiveKind::all_reduce || gather ? steps_of(call, c) : c.ranks;
  return bus * c.ranks / steps;
}

double nccl_time(const Call& call, const Communicator& c, Protocol p) {
  if (c.library == ops::CommLibrary::rccl) return rccl_time(call, c, NcclAlgorithm::ring, p);
  const NcclTables& t = *c.tables;
  double latency = t.base[row_of(NcclAlgorithm::ring)][index_of(p)];
  double intra = table_intra_hop(c, NcclAlgorithm::ring, p);
  const double inter = table_inter_hop(c, NcclAlgorithm::ring, p);
  if (call.kind == CollectiveKind::all_reduce || is_gather(call.kind)) {
    if (c.multi_node() && t.network_overhead) {
      const double post = c.cpu == machine::CpuVendor::amd ? 2.0 : 1.0;
      intra = std::max(intra, p == Protocol::simple ? 3.0 * post : post);
    }
    std::int32_t crossings = network_steps(call, c);
    if (t.counts_extra_steps && call.kind == CollectiveKind::all_reduce && c.multi_node()) crossings += 2;
    latency += (steps_of(call, c) - crossings) * intra + crossings * inter;
  } else {
    // A chunk passes all ranks where rings take different routes; Simple then waits as long as for a tree's
    // hop.
    const bool waits = !c.same_channels && p == Protocol::simple;
    const NcclAlgorithm row = waits ? NcclAlgorithm::tree : NcclAlgorithm::ring;
    const Level level = c.multi_node() ? Level::network : c.inside;
    const double hop = t.hop[at(level)][row_of(row)][index_of(p)];
    latency += c.same_channels ? hop : c.ranks * hop;
  }
  if (p == Protocol::simple && c.multi_node() && call.kind == CollectiveKind::all_reduce) {
    if (t.plateau_by_size) {
      if (static_cast<double>(call.bytes) >= c.ranks / 16.0 * 65536.0) latency *= 1.9;
    } else if (call.bytes / (static_cast<std::int64_t>(c.channels) * c.ranks) >= 64) {
      latency *= c.compute_capability < 80 ? 1.9 : 1.4;
    }
  }
  return latency + static_cast<double>(call.bytes) / (1000.0 * nccl_bandwidth(call, c, p));
}

std::int32_t channels(const Call& call, const Communicator& c, Protocol p) {
  return channels_for(call, c, p, true);
}

// Bytes that a network hop waits for: one slice (Simple) or one step's payload, less when the message is
// short. A rooted call is not cut by ranks, and its steps are half as long (BROADCAST_CHUNKSTEPS,
// REDUCE_CHUNKSTEPS).
bool is_rooted(const Call& call) {
  return call.kind == CollectiveKind::broadcast || call.kind == CollectiveKind::reduce;
}

// Channels that share the bytes: a short rooted call uses few. `over`: channels into which a piece is cut.
double lanes(const Call& call, const Communicator& c, Protocol p) {
  return is_rooted(call) ? channels(call, c, p) : c.channels;
}

double slice(const Call& call, const Communicator& c, Protocol p, double over) {
  const double most = p == Protocol::simple  ? (is_rooted(call) ? 524288.0 : 1048576.0)
                      : p == Protocol::ll128 ? 576000.0
                                             : 32768.0;
  const double cuts = over * (is_rooted(call) ? 1 : c.ranks);
  return std::min(most, static_cast<double>(call.bytes) / cuts);
}

// One circuit of a ring over several nodes: either a piece passes every link once, those of the network by
// store and forward, or the network's links are never idle, whichever takes longer. The two hide each other
// except at the ends. In a rooted call the last rank receives the first piece when it has passed the whole
// chain, and the other pieces follow.
PartedTime across_nodes(const Call& call, const Communicator& c, Protocol p, double steps, PartedTime inside,
                        const Rate& nvlink, const NetworkConstants& k) {
  constexpr double hidden = 4.0;
  const double bytes = static_cast<double>(call.bytes), crossings = network_steps(call, c);
  const double piece = bytes / c.ranks, shared = lanes(call, c, p);
  const double one = slice(call, c, p, shared), each = slice(call, c, p, c.channels);
  const Rate network = network_rate(c, p, k);
  const PartedTime step = piece / (1000.0 * network) + as_fixed(k.network_step * piece / (each * c.channels));
  PartedTime path = inside + as_latency(posting(k, p, channels(call, c, p), 1.0));
  path += crossings * (as_latency(inter_hop(c, NcclAlgorithm::ring, p, k)) +
                       k.chunk_ramp * one / (1000.0 * network / shared));
  if (c.per_node > 1 && p == Protocol::simple)
    path += (steps_of(call, c) - crossings) * 0.5 * one * shared / (1000.0 * nvlink);
  const PartedTime wire =
      longer((steps + k.ring_end) * step, c.per_node > 1 ? steps * piece / (1000.0 * nvlink) : PartedTime{});
  return is_rooted(call) ? path + wire : joined(0.0, path, wire, hidden);
}

Cost time(const Call& call, const Communicator& c, Protocol p, const NetworkConstants& k) {
  const double bytes = static_cast<double>(call.bytes);
  const double steps =
      is_rooted(call) ? c.ranks : steps_of(call, c);  // a rooted call sends the whole buffer over each link
  const double base =
      base_factor(k, p) * nccl_tables(physical_tables).base[row_of(NcclAlgorithm::ring)][index_of(p)];
  const double staged = c.multi_node() ? staged_bytes / c.per_node : 0.0;
  const double memory = (3.0 + staged) * bytes * steps / c.ranks / share_of_line(p);
  const Rate nvlink = nvlink_rate(c, p, busy_channels(call, c, p, true), k);
  PartedTime latency =
      as_latency((steps_of(call, c) - network_steps(call, c)) * intra_hop(c, NcclAlgorithm::ring, p, k));
  if (c.multi_node()) return {as_latency(base) + across_nodes(call, c, p, steps, latency, nvlink, k), memory};
  latency += k.ring_fill * slice(call, c, p, c.channels) * c.channels / (1000.0 * nvlink);
  const PartedTime wire = bytes * (steps + k.ring_end) / c.ranks / (1000.0 * nvlink);
  return {joined(base, latency, wire, k.overlap), memory};
}

}  // namespace

extern const Algorithm ring;
const Algorithm ring{.id = NcclAlgorithm::ring,
                     .source = "NVIDIA/nccl graph/tuning.cc, device/all_reduce.h",
                     .applies = applies,
                     .nccl_time = nccl_time,
                     .channels = channels,
                     .time = time};

}  // namespace echo::collective::algorithms
