#include "explain/drawn_processes.hpp"

#include <algorithm>

#include "base/at.hpp"

namespace echo::explain {

std::vector<std::vector<DrawnProcess>> drawn_processes(const training::RankLayout& layout,
                                                       const TraceRequest& request) {
  std::vector<std::vector<DrawnProcess>> processes(layout.classes.size());
  const auto stages = static_cast<std::int32_t>(processes.size());
  const std::int32_t before_ranks = request.stages.empty() ? 0 : stages;
  for (std::int32_t stage = 0; stage < stages; ++stage) {
    const bool is_asked = std::ranges::count(request.stages, stage) > 0;
    if (is_asked || (request.stages.empty() && request.ranks.empty()))
      processes[at(stage)].push_back({.number = stage});
    const training::RankClass& ranks = layout.classes[at(stage)];
    for (const std::int32_t rank : request.ranks) {
      const std::int32_t place = rank - ranks.first_gpu_rank;
      if (place >= 0 && place < ranks.multiplicity)
        processes[at(stage)].push_back({.number = before_ranks + rank, .place = place, .is_rank = true});
    }
  }
  return processes;
}

}  // namespace echo::explain
