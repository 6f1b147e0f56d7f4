// What a replayed step is made of, as show tells it.
#pragma once

#include "apps/explain.hpp"
#include "simulate/trace_scratch.hpp"

namespace echo::apps {

// Fills what `told` says beyond its report. Contract: the scratch and the prices are as simulate() left them.
void explain_trace(const simulate::TraceScratch&, const simulate::Prices&, Explanation& told);

}  // namespace echo::apps
