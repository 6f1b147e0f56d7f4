// Tree: two complementary binary trees over the nodes, a chain inside each node; all-reduce only. Half the
// data takes each tree, so that every node is inside one and a leaf of the other: its NICs carry the message
// twice a direction (up and down), once when there are two nodes. Reduction upwards and broadcast downwards
// are pipelined.
//   T = base + || 2 (q-1) intra + 2 log2(N) (inter + ramp) , S / (min(nvlink', network') / 2) ||
// Source: NVIDIA/nccl graph/trees.cc, graph/tuning.cc (estimate and its shares: .92, 1/3.8, 7/9), enqueue.cc
// (LL128 chunks); hops and rates fitted per network. HBM traffic: up and down each write, read and combine or
// copy: 6 bytes per byte. Neglected: the third child's wait at N > 2, unbalanced chains.
#include <algorithm>

#include "collective/wire.hpp"

namespace echo::collective::algorithms {
namespace {

using ops::Protocol;

bool applies(const Call& call, const Communicator& c, Protocol p) {
  return call.kind == ops::CollectiveKind::all_reduce && (p != Protocol::ll128 || ll128_allowed(c));
}

double nccl_bandwidth(const Call& call, const Communicator& c, Protocol p) {
  const NcclTables& t = *c.tables;
  const auto arch = static_cast<std::size_t>(c.arch);
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
  const double latency =
      c.tables->base[0][index_of(p)] + 2.0 * ((c.per_node - 1) * table_intra_hop(c, Method::tree, p) +
                                              c.tree_depth() * table_inter_hop(c, Method::tree, p));
  return latency + static_cast<double>(call.bytes) / (1000.0 * nccl_bandwidth(call, c, p));
}

std::int32_t channels(const Call& call, const Communicator& c, Protocol p) {
  return channels_for(call, c, p, false);
}

// Bytes a network hop waits for: one step of the buffer; LL128 shortens its chunk for short messages.
double chunk(const Call& call, const Communicator& c, Protocol p) {
  const double share = static_cast<double>(call.bytes) / c.channels;
  if (p == Protocol::simple) return std::min(524288.0, share);
  if (p == Protocol::ll) return std::min(32768.0, share);
  double size = 576000.0;
  const double steps = 1.0 + c.tree_depth() + 0.1 * c.per_node;
  while (size > 131072.0 && share / size < 64.0 * steps / c.per_node) size *= 0.5;
  while (size > 32768.0 && share / size < 16.0 * steps / c.per_node) size *= 0.5;
  return std::min(size, share);
}

Cost time(const Call& call, const Communicator& c, Protocol p, const NetworkConstants& k) {
  // What a tree reaches of the ring's NVLink rate: NCCL's own ratios between the two (1 / 3.8 over 1/2 and so
  // on).
  constexpr double of_ring[3] = {0.66, 0.78, 0.92};
  const double bytes = static_cast<double>(call.bytes);
  PartedTime latency = as_latency(2.0 * (c.per_node - 1) * intra_hop(c, Method::tree, p, k));
  Rate rate{.value = 1e9};
  if (c.per_node > 1) rate = of_ring[index_of(p)] * nvlink_rate(c, p, busy_channels(call, c, p, false), k);
  if (c.multi_node()) {
    const Rate network = network_rate(c, p, k);
    latency += 2.0 * c.tree_depth() *
               (as_latency(inter_hop(c, Method::tree, p, k) + k.network_post * channels(call, c, p)) +
                k.chunk_ramp * chunk(call, c, p) / (1000.0 * network / c.tree.channels));
    rate = slower(rate, c.nodes == 2 ? 2.0 * network : network);
  }
  const double base = base_factor(k, p) * nccl_tables(physical_tables).base[0][index_of(p)];
  return {joined(base, latency, bytes / (500.0 * rate), k.overlap), 6.0 * bytes / share_of_line(p)};
}

}  // namespace

extern const Algorithm tree;
const Algorithm tree{.name = "tree",
                     .source = "NVIDIA/nccl graph/trees.cc, graph/tuning.cc",
                     .order = 0,
                     .applies = applies,
                     .nccl_time = nccl_time,
                     .channels = channels,
                     .time = time};

}  // namespace echo::collective::algorithms
