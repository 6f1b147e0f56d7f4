// Converts a trace to a graph of ops for replay.
#pragma once

#include <string>
#include <vector>

#include "ops/collective.hpp"
#include "timeline/replay/replay.hpp"
#include "trace/trace.hpp"

namespace echo::simulate {

// One op per node, rank after rank. Mismatches are returned as text: ranks that call different collectives
// of a group, or more of them than others; messages between traced ranks that are not received. Empty:
// nothing.
[[nodiscard]] std::string graph_of(const trace::Trace&, timeline::ReplayGraph& out);

// The request of a communication to the network, for any machine. Each distinct one once.
struct TraceAsk {
  ops::CollectiveKind kind{};
  Bytes payload;
  std::int32_t group = -1;          // of the trace; -1: all ranks
  std::int32_t from = -1, to = -1;  // of send_recv
  friend constexpr auto operator<=>(const TraceAsk&, const TraceAsk&) = default;
};
struct TraceAsks {
  std::vector<TraceAsk> asks;
  std::vector<std::int32_t> of;  // [ops] index into asks; -1: not communication, or it does not say how much
  std::vector<double> share;     // [ops] of its time
};
void asks_of(const trace::Trace&, TraceAsks& out);

// "gpu rank 3: node 17 (all_reduce of dp)".
[[nodiscard]] std::string describe_op(const trace::Trace&, std::int32_t op);

// Why a replay deadlocks, as text: the ops that wait for each other. Empty: it ends.
[[nodiscard]] std::string why_stuck(const trace::Trace&, const timeline::ReplayScratch& ran);

// All of it for a trace as it stands, as a reader of sweeps asks; empty: it can be replayed.
[[nodiscard]] std::string why_not_replayable(const trace::Trace&);

}  // namespace echo::simulate
