// Splits the makespan of a replay by time category, per rank.
#pragma once

#include "timeline/replay/replay.hpp"

namespace echo::timeline {

// Fills `ran.ranks`. Contract: every op has ended.
void split_replay(const ReplayGraph&, const ReplayPlan&, const ReplayWork&, ReplayScratch& ran);

}  // namespace echo::timeline
