// Each channel of NCCL works on its own share of the data; a group with q members on a node has at least q
// channels, one for every rail, so that all NICs are busy:
//   ring c      visits the nodes in turn, and on each of them all members from the c-th on, around
//   tree c      two complementary binary trees over the nodes, between their c-th members, and a chain from
//               there through the other members; half of the channel's data takes each tree
// A ring proceeds step by step: every member passes a piece on. In a tree the pieces follow each other so
// closely that all edges are busy at once: one phase, up and down together (fill and drain are latencies,
// which collective/ prices). All-to-all sends everything at once: NCCL distributes peers over channels in an
// order that keeps all links busy. Source: NVIDIA/nccl graph/rings.cc, graph/trees.cc, device/all_reduce.h,
// enqueue.cc (scheduleP2pTasksToPlan). Neglected: more channels than one per rail (they share its links),
// order of peers.
#include "network/nccl_phases.hpp"

#include <algorithm>

#include "base/contract.hpp"
#include "textbook/algorithm.hpp"
#include "textbook/pattern.hpp"

namespace echo::network {
namespace {

using ops::CollectiveKind;

void ring(CollectiveKind kind, std::int64_t bytes, GroupShape g, textbook::Phases& out) {
  const std::int32_t nodes = g.ranks / g.per_node;
  const auto member = [&](std::int32_t channel, std::int32_t place) {
    return place / g.per_node * g.per_node + (place + channel) % g.per_node;
  };
  const bool rooted = kind == CollectiveKind::broadcast || kind == CollectiveKind::reduce;
  const std::int32_t channels = nodes > 1 ? g.per_node : 1;
  const std::int64_t each =
      textbook::piece_of(bytes, static_cast<std::int64_t>(channels) * (rooted ? 1 : g.ranks));
  for (std::int32_t c = 0; c < channels; ++c)
    for (std::int32_t i = 0; i < g.ranks; ++i)
      if (!rooted || i + 1 < g.ranks)
        out.transfers.push_back({member(c, i), member(c, (i + 1) % g.ranks), each});
  const std::int64_t steps = rooted                               ? 1
                             : kind == CollectiveKind::all_reduce ? 2 * (g.ranks - 1)
                                                                  : g.ranks - 1;
  out.close(steps);
}

void both_ways(std::int32_t a, std::int32_t b, std::int64_t bytes, textbook::Phases& out) {
  out.transfers.push_back({a, b, bytes});
  out.transfers.push_back({b, a, bytes});
}

void between_nodes(std::int64_t bytes, GroupShape g, textbook::Phases& out) {
  const std::int32_t nodes = g.ranks / g.per_node;
  const std::int64_t half = textbook::piece_of(bytes, std::int64_t{2} * g.per_node);
  for (std::int32_t c = 0; c < g.per_node; ++c)
    for (std::int32_t tree = 0; tree < 2; ++tree)
      for (std::int32_t node = 0; node < nodes; ++node)
        if (const std::int32_t parent = textbook::parent_of(node, nodes, tree); parent >= 0)
          both_ways(node * g.per_node + c, parent * g.per_node + c, half, out);
}

void tree(std::int64_t bytes, GroupShape g, textbook::Phases& out) {
  between_nodes(bytes, g, out);
  const std::int64_t each = textbook::piece_of(bytes, g.per_node);
  for (std::int32_t first = 0; first < g.ranks; first += g.per_node)
    for (std::int32_t c = 0; c < g.per_node; ++c)
      for (std::int32_t i = 0; i + 1 < g.per_node; ++i)
        both_ways(first + (c + i) % g.per_node, first + (c + i + 1) % g.per_node, each, out);
  out.close();
}

// A head reads the sum of its slice and writes the result to all: the traffic out of and into a GPU equals
// that of an exchange between pairs.
void nvls_tree(std::int64_t bytes, GroupShape g, textbook::Phases& out) {
  between_nodes(bytes, g, out);
  const std::int64_t each = textbook::piece_of(bytes, g.per_node);
  for (std::int32_t first = 0; first < g.ranks; first += g.per_node)
    for (std::int32_t i = 0; i < g.per_node; ++i)
      for (std::int32_t j = i + 1; j < g.per_node; ++j) both_ways(first + i, first + j, each, out);
  out.close();
}

void pairwise(CollectiveKind kind, std::int64_t bytes, GroupShape g, textbook::Phases& out) {
  if (kind == CollectiveKind::send_recv) {
    out.transfers.push_back({0, g.ranks - 1, bytes});
  } else {
    const std::int64_t each = textbook::piece_of(bytes, g.ranks);
    for (std::int32_t step = 1; step < g.ranks; ++step)
      for (std::int32_t i = 0; i < g.ranks; ++i) out.transfers.push_back({i, (i + step) % g.ranks, each});
  }
  out.close();
}

}  // namespace

void phases_of(ops::NcclAlgorithm algorithm, CollectiveKind kind, std::int64_t payload, GroupShape g,
               textbook::Phases& out) {
  ECHO_EXPECT(g.ranks >= 2 && g.per_node >= 1 && g.ranks % g.per_node == 0);
  out.clear();
  if (kind == CollectiveKind::all_to_all || kind == CollectiveKind::send_recv) {
    pairwise(kind, payload, g, out);
  } else if (kind == CollectiveKind::all_reduce && algorithm == ops::NcclAlgorithm::tree) {
    tree(payload, g, out);
  } else if (kind == CollectiveKind::all_reduce && algorithm == ops::NcclAlgorithm::nvls_tree) {
    nvls_tree(payload, g, out);
  } else {
    ring(kind, payload, g, out);
  }
}

}  // namespace echo::network
