// Buffers reused by the replays of one worker: for the last trace and for the current point.
#pragma once

#include "simulate/replay/replay_graph.hpp"
#include "simulate/replay/replay_shape.hpp"
#include "simulate/step/workspace.hpp"
#include "timeline/replay/replay.hpp"

namespace echo::simulate {

struct ReplayScratch {
  // Follows from the trace alone.
  const trace::Trace* trace = nullptr;
  std::string problem;  // why it cannot be replayed; empty: it can
  TraceShape shape;
  timeline::ReplayGraph graph;
  timeline::ReplayPlan plan;
  TraceAsks asks;
  std::vector<const trace::Node*> nodes;  // [ops]

  // Data of the point.
  bool newest_first = false;                  // of ReplayWork
  std::vector<SimTime> alone;                 // [ops]
  std::vector<WorkId> work;                   // [ops] of Prices: kernels, then asks; none: slows nothing
  std::vector<BottleneckTimes> bottlenecks;   // [ops]
  std::vector<ops::Grade> grade;              // [ops] of compute
  std::vector<SimTime> paced;                 // [ops] alone, of one draw
  std::vector<ops::CollectiveQuery> queries;  // [asks]
  timeline::ReplayScratch ran;
  std::vector<timeline::PathStep> path;
};

// The scratch of `ws`, made ready for this trace.
[[nodiscard]] ReplayScratch& scratch_for(const trace::Trace&, Workspace& ws);

}  // namespace echo::simulate
