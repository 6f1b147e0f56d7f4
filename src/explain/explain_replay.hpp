// Explains a replayed step for show.
#pragma once

#include "explain/explain.hpp"
#include "simulate/replay/replay_scratch.hpp"

namespace echo::explain {

// Fills all of `told` except its report. Precondition: the scratch and the prices are those left by
// simulate().
void explain_replay(const simulate::ReplayScratch&, const simulate::Prices&, Explanation& explanation);

}  // namespace echo::explain
