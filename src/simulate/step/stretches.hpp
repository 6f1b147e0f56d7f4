// A composed block as intervals during which the same ops run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/at.hpp"
#include "timeline/block/block.hpp"
#include "workload/workload.hpp"

namespace echo::simulate {

// Calls visit(ops that run, in launch order; how long). `ran`: as compose_block left it for this graph.
template <class Visit>
void each_stretch(const workload::OpGraph& graph, const timeline::BlockScratchData& ran, Visit visit) {
  std::vector<SimTime> instants = ran.start;
  instants.insert(instants.end(), ran.end.begin(), ran.end.end());
  std::sort(instants.begin(), instants.end());
  instants.erase(std::unique(instants.begin(), instants.end()), instants.end());
  std::vector<OpId> running;
  for (std::size_t i = 0; i + 1 < instants.size(); ++i) {
    running.clear();
    for (const OpId op : ids<OpId>(graph.size()))
      if (ran.start[at(op)] <= instants[i] && ran.end[at(op)] > instants[i]) running.push_back(op);
    visit(running, instants[i + 1] - instants[i]);
  }
}

}  // namespace echo::simulate
