// A trace of two of four ranks, each of which computes, reduces over pairs and sends on.
#pragma once

#include "trace/trace.hpp"

namespace echo::tests {

inline trace::Node compute_node(std::int64_t id, std::int32_t name = 0) {
  trace::Node node;
  node.id = id, node.name = name, node.duration = SimTime(1'000'000);
  return node;
}

inline trace::Node collective_node(std::int64_t id, std::int32_t group, std::int64_t bytes) {
  trace::Node node;
  node.id = id, node.kind = trace::NodeKind::collective, node.collective = ops::CollectiveKind::all_reduce;
  node.group = group, node.bytes = Bytes(bytes), node.stream = 1;
  return node;
}

inline trace::Node message_node(std::int64_t id, trace::NodeKind kind, std::int32_t peer,
                                std::int64_t bytes) {
  trace::Node node;
  node.id = id, node.kind = kind, node.collective = ops::CollectiveKind::send_recv;
  node.peer = peer, node.bytes = Bytes(bytes), node.stream = 2;
  return node;
}

// Nodes 0 and 1 compute, 2 reduces what 1 made, 3 sends to (rank 0) or receives from (rank 2) the other.
inline trace::RankTrace small_rank(std::int32_t rank, std::int32_t group) {
  const bool first = rank == 0;
  trace::RankTrace out{.rank = rank, .stands_for = {rank, rank + 1}};
  out.nodes = {compute_node(0), compute_node(1, 1), collective_node(2, group, 1 << 20),
               message_node(3, first ? trace::NodeKind::send : trace::NodeKind::recv, first ? 2 : 0, 4096)};
  for (const std::int32_t needed : {-1, 0, 1, 2}) {
    if (needed >= 0) out.needs.push(needed);
    out.needs.close_row(), out.follows.close_row();
  }
  return out;
}

inline trace::Trace small_trace() {
  trace::Trace out{.name = "small", .format = "echo", .gpu = "NVIDIA H100 80GB HBM3", .world = 4};
  out.groups = {{"dp0", trace::GroupRole::data, {0, 1}}, {"dp1", trace::GroupRole::data, {2, 3}}};
  out.names = {"mm", "gelu"};
  out.kernels = {{.kind = ops::KernelKind::gemm, .m = 128, .n = 256, .k = 64}};
  out.ranks = {small_rank(0, 0), small_rank(2, 1)};
  for (trace::RankTrace& rank : out.ranks) rank.nodes[0].kernel = 0;
  return out;
}

}  // namespace echo::tests
