// Computes chunk times from ops: each distinct block is composed once, then multiplied.
#pragma once

#include "simulate/simulated_step.hpp"
#include "simulate/step/block_memo.hpp"

namespace echo::simulate {

// Fills blocks, times, paths, chunks, gathers and pairs of `out`. `memo`, where not null, has looked up this
// step; then with slowdown.
void compose_chunks(const StepInput&, Slowdown, timeline::BlockScratchData& scratch, ComposedStep& out,
                    BlockMemo* memo = nullptr);

// Fills only what the durations of passes are made of: the times of blocks, chunks, gathers and pairs;
// all else in `out` means nothing then. Without slowdown, or with that of collectives and kernels alone.
void time_chunks(const StepInput&, Slowdown, timeline::BlockScratchData& scratch, ComposedStep& out,
                 BlockMemo& memo);

}  // namespace echo::simulate
