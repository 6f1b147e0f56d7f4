#include "simulate/replay/replay_scratch.hpp"

namespace echo::simulate {

void DropReplayScratch::operator()(ReplayScratch* scratch) const { delete scratch; }

ReplayScratch& scratch_for(const trace::Trace& trace, Workspace& ws) {
  if (ws.trace == nullptr) ws.trace.reset(new ReplayScratch());
  ReplayScratch& s = *ws.trace;
  if (s.trace == &trace) return s;
  s.trace = &trace;
  s.problem = graph_of(trace, s.graph);
  s.shape = shape_of(trace);
  timeline::plan_replay(s.graph, s.plan);
  asks_of(trace, s.asks);
  s.nodes.clear();
  for (const trace::RankTrace& rank : trace.ranks)
    for (const trace::Node& node : rank.nodes) s.nodes.push_back(&node);
  return s;
}

}  // namespace echo::simulate
