// What a replayed step is made of, as show tells it.
#pragma once

#include "explain/explain.hpp"
#include "simulate/replay/replay_scratch.hpp"

namespace echo::explain {

// Fills what `told` says beyond its report. Contract: the scratch and the prices are as simulate() left them.
void explain_replay(const simulate::ReplayScratch&, const simulate::Prices&, Explanation& explanation);

}  // namespace echo::explain
