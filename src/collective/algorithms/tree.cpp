// Tree: two complementary binary trees over the nodes, a chain inside each node; all-reduce only. Half the
// data takes each tree, so that every node is inside one and a leaf of the other: its NICs carry the message
// twice per direction (up and down), once when there are two nodes. Reduction upwards and broadcast
// downwards are pipelined by chunks, so that the time of the first chunk and the rest of the wire time add.
//   T = base + 2 (q-1) intra + 2 log2(N) (inter + chunk / channel) + posting
//       + max(S / (nvlink / 2), (1 or 2) S / network + chunks * step)
// `step` is the cost of a message to a channel's connection in addition to its bytes; a tree's messages are
// short (18 to 72 KB under LL128). Source: NVIDIA/nccl graph/trees.cc, graph/tuning.cc (estimate and its
// shares: .92, 1/3.8, 7/9), enqueue.cc (LL128 chunks); hops and rates fitted per network. HBM traffic: up
// and down each write, read and combine or copy: 6 bytes per byte; one GPU of a node stages the data that
// leaves it. Neglected: the second child's wait at N > 2, unbalanced chains.
#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "collective/rccl_tables.hpp"
#include "collective/wire.hpp"

namespace echo::collective::algorithms {
namespace {

using ops::Protocol;

bool applies(const Call& call, const Communicator& c, Protocol p) {
  if (call.kind != ops::CollectiveKind::all_reduce) return false;
  if (c.library == ops::CommLibrary::rccl) return rccl_allows(c, NcclAlgorithm::tree, p);
  return p != Protocol::ll128 || ll128_allowed(c);
}

double nccl_bandwidth(const Call& call, const Communicator& c, Protocol p) {
  const NcclTables& t = *c.tables;
  const std::size_t arch = at(c.arch);
  double bus = c.tree.channels * (c.nodes <= 2 ? c.tree.intra : c.tree.inter);
  if (c.compute_capability == 80) bus = std::min(bus, t.ampere_bus_cap);
  bus = std::min(bus * 0.92, c.tree.channels * t.tree[arch][c.span()]);
  if (p == Protocol::ll) {
    const bool amd = c.cpu == machine::CpuVendor::amd;
    const std::size_t row = c.multi_node() ? (amd ? 1 : 0) : arch;
    bus = std::min(bus / 3.8, t.ll_max[row][c.span()]);
  }
  if (p == Protocol::ll128) {
    const double share = c.multi_node() ? 120.0 / 128.0 : 7.0 / 9.0;
    bus = std::min(bus * share, c.tree.channels * t.tree_ll128[arch][c.span()]);
  }
  if (c.per_node == 1) bus *= t.plain_tree_share;
  return 0.5 * bus * tree_correction(static_cast<std::int32_t>(p), call.bytes, 23);
}

double nccl_time(const Call& call, const Communicator& c, Protocol p) {
  if (c.library == ops::CommLibrary::rccl) return rccl_time(call, c, NcclAlgorithm::tree, p);
  const double latency = c.tables->base[row_of(NcclAlgorithm::tree)][index_of(p)] +
                         2.0 * ((c.per_node - 1) * table_intra_hop(c, NcclAlgorithm::tree, p) +
                                c.tree_depth() * table_inter_hop(c, NcclAlgorithm::tree, p));
  return latency + static_cast<double>(call.bytes) / (1000.0 * nccl_bandwidth(call, c, p));
}

std::int32_t channels(const Call& call, const Communicator& c, Protocol p) {
  return channels_for(call, c, p, false);
}

// LL128 halves its chunk of 576 000 bytes until a channel's share is at least this many chunks. Source:
// enqueue.cc.
double least_chunks(double chunk, const Communicator& c) {
  const double steps = 1.0 + c.tree_depth() + 0.1 * c.per_node;
  return std::ceil((chunk > 131072.0 ? 64.0 : 16.0) * steps / c.per_node);
}

// Bytes that a network hop waits for: one step of the buffer, or the whole message if it is shorter.
double chunk_of(double share, Protocol p, const Communicator& c) {
  if (p == Protocol::simple) return 524288.0;
  if (p == Protocol::ll) return 32768.0;
  double chunk = 576000.0;
  while (chunk > 32768.0 && share < chunk * least_chunks(chunk, c)) chunk *= 0.5;
  return chunk;
}

// The number of times that a byte passes a node's NICs, each way.
double times_out(const Communicator& c) { return c.nodes == 2 ? 1.0 : 2.0; }

// The time of the first chunk through the NICs, and the time of the rest there.
PartedTime across_nodes(double bytes, double chunk, const Communicator& c, Protocol p, PartedTime inside,
                        const NetworkConstants& k) {
  const Rate network = 1000.0 * network_rate(c, p, k);
  const double first = std::min(chunk, bytes / c.channels);
  const PartedTime fill = 2.0 * c.tree_depth() * k.chunk_ramp * (first / (network / c.channels));
  const PartedTime wire =
      times_out(c) * (bytes / network) + as_fixed(k.network_step * bytes / (first * c.channels));
  return fill + longer(wire, inside);
}

// As above; a message takes no less than a shorter one that is cut into smaller chunks.
PartedTime pipelined(double bytes, const Communicator& c, Protocol p, Rate nvlink,
                     const NetworkConstants& k) {
  const auto inside = [&](double of) { return c.per_node > 1 ? of / (500.0 * nvlink) : PartedTime{}; };
  if (!c.multi_node()) return inside(bytes);
  const double chunk = chunk_of(bytes / c.channels, p, c);
  const PartedTime with = across_nodes(bytes, chunk, c, p, inside(bytes), k);
  if (p != Protocol::ll128 || chunk <= 32768.0) return with;
  const double fewer = chunk * least_chunks(chunk, c) * c.channels;  // where this chunk begins
  return longer(with, across_nodes(fewer, 0.5 * chunk, c, p, inside(fewer), k));
}

Cost time(const Call& call, const Communicator& c, Protocol p, const NetworkConstants& k) {
  // The share of the ring's NVLink rate that a tree reaches: NCCL's own ratios between the two (1 / 3.8 over
  // 1/2 and so on).
  constexpr double of_ring[3] = {0.66, 0.78, 0.92};
  const double bytes = static_cast<double>(call.bytes);
  const Rate nvlink = of_ring[index_of(p)] * nvlink_rate(c, p, busy_channels(call, c, p, false), k);
  double latency =
      base_factor(k, p) * nccl_tables(physical_tables).base[row_of(NcclAlgorithm::tree)][index_of(p)] +
      2.0 * (c.per_node - 1) * intra_hop(c, NcclAlgorithm::tree, p, k);
  if (c.multi_node())
    latency += posting(k, p, channels(call, c, p), c.tree_depth()) +
               2.0 * c.tree_depth() * inter_hop(c, NcclAlgorithm::tree, p, k);
  const double staged = c.multi_node() ? times_out(c) * staged_bytes / c.per_node : 0.0;
  return {as_latency(latency) + pipelined(bytes, c, p, nvlink, k), (6.0 + staged) * bytes / share_of_line(p)};
}

}  // namespace

extern const Algorithm tree;
const Algorithm tree{.id = NcclAlgorithm::tree,
                     .source = "NVIDIA/nccl graph/trees.cc, graph/tuning.cc",
                     .applies = applies,
                     .nccl_time = nccl_time,
                     .channels = channels,
                     .time = time};

}  // namespace echo::collective::algorithms
