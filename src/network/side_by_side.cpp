// All groups that correspond to the one asked for are placed side by side, `stride` of them in a block of
// stride * ranks GPUs, and send the traffic of one phase of the method between scale-up domains. With T the
// time until the last transfer of b bytes has ended, a node had this bandwidth to itself:
//   ring     q transfers of b bytes leave a node:                          q b / T
//   tree     the message crosses a node's NICs twice (two nodes: once):    2 S / T (S / T)
//   pairs    each of q members sends n - q transfers of b bytes:           q (n - q) b / T
// with the same convention as the closed forms, so that a method's own formula can use either. Traffic
// inside domains is left out: it does not use the fabric. Neglected: groups of other kinds (the composer
// accounts for them), a block that does not begin at a leaf.
#include "network/side_by_side.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/at.hpp"
#include "machine/placement.hpp"

namespace echo::network {

using machine::GroupSpan;
using ops::CollectiveKind;

static bool is_tree(ops::NcclAlgorithm algorithm) {
  return algorithm == ops::NcclAlgorithm::tree || algorithm == ops::NcclAlgorithm::nvls_tree;
}

// Payload for which one transfer between nodes is a `piece`.
static std::int64_t payload_of(const GroupSpan& span, const Traffic& traffic, std::int64_t piece) {
  if (traffic.kind == CollectiveKind::send_recv) return piece;
  if (traffic.kind == CollectiveKind::all_to_all) return piece * span.ranks;
  if (is_tree(traffic.algorithm)) return piece * 2 * span.ranks_per_node;
  return piece * span.ranks_per_node * span.ranks;
}

bool is_regular(const GroupSpan& span, std::int32_t domain) {
  if (span.ranks != span.nodes * span.ranks_per_node) return false;
  return span.ranks_per_node == 1 ? span.stride >= domain : span.stride * span.ranks_per_node == domain;
}

textbook::Phases side_by_side(const GroupSpan& span, Traffic traffic, std::int64_t piece,
                              std::int32_t domain) {
  textbook::Phases one, all;
  phases_of(traffic.algorithm, traffic.kind, payload_of(span, traffic, piece),
            {span.ranks, span.ranks_per_node}, one);
  for (std::int32_t offset = 0; offset < span.stride; ++offset) {
    for (const textbook::Transfer& t : one.transfers) {
      const std::int32_t from = offset + t.from * span.stride, to = offset + t.to * span.stride;
      if (from / domain != to / domain) all.transfers.push_back({from, to, t.bytes});
    }
  }
  all.close();
  return all;
}

double bytes_of_node(const GroupSpan& span, Traffic traffic, std::int64_t piece) {
  const double q = span.ranks_per_node, one = static_cast<double>(piece);
  if (traffic.kind == CollectiveKind::send_recv) return q * one;
  if (traffic.kind == CollectiveKind::all_to_all) return q * one * (span.ranks - q);
  if (is_tree(traffic.algorithm)) return 2.0 * q * one * (span.nodes > 2 ? 2.0 : 1.0);
  return q * one;
}

std::int64_t bytes_between_pair(const GroupSpan& span, Traffic traffic, CollectiveKind kind,
                                std::int64_t payload) {
  const double n = span.ranks, q = span.ranks_per_node, whole = static_cast<double>(payload);
  double bytes = whole / q;  // a chain through all members
  if (kind == CollectiveKind::send_recv)
    bytes = whole;
  else if (kind == CollectiveKind::all_to_all)
    bytes = whole / n;
  else if (kind == CollectiveKind::all_reduce && is_tree(traffic.algorithm))
    bytes = whole / (2.0 * q);
  else if (kind == CollectiveKind::all_reduce)
    bytes = whole / q * 2.0 * (n - 1.0) / n;
  else if (kind == CollectiveKind::all_gather || kind == CollectiveKind::reduce_scatter)
    bytes = whole / q * (n - 1.0) / n;
  return std::max<std::int64_t>(1, std::llround(bytes));
}

std::vector<std::int32_t> slots_of(const machine::NetworkGraph& graph, bool scattered, std::uint64_t seed) {
  std::vector<std::int32_t> slots;
  machine::place_ranks(scattered ? machine::Placement::scattered : machine::Placement::packed, graph.gpus,
                       graph.domain, seed, slots);
  if (slots.empty()) {
    slots.resize(at(graph.gpus));
    std::iota(slots.begin(), slots.end(), 0);
  }
  return slots;
}

}  // namespace echo::network
