// Computes chunk times from ops: each distinct block is composed once, then multiplied.
#pragma once

#include "simulate/simulated_step.hpp"
#include "simulate/step/block_memo.hpp"

namespace echo::simulate {

// Fills blocks, times, paths, collectives_meet, chunks, gathers and pairs of `out`. `memo`, where not null,
// has looked up this step.
void compose_chunks(const StepInput&, Slowdown, timeline::BlockScratchData& scratch, ComposedStep& out,
                    BlockMemo* memo = nullptr);

}  // namespace echo::simulate
