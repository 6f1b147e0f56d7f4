// Where the makespan of a replay went, rank by rank.
#pragma once

#include "timeline/replay/replay.hpp"

namespace echo::timeline {

// Fills `ran.ranks`. Contract: every op has ended.
void split_replay(const ReplayGraph&, const ReplayPlan&, const ReplayWork&, ReplayScratch& ran);

}  // namespace echo::timeline
