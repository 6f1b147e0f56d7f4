// Computes chunk times from ops: each distinct block is composed once, then multiplied.
#pragma once

#include <cstdint>

#include "simulate/simulated_step.hpp"

namespace echo::simulate {

// off: nothing that overlaps slows; apart: kernels and collectives slow each other, collectives do not;
// on: all that do.
enum class Slowdown : std::int8_t { off, apart, on };

// Fills blocks, times, paths, collectives_meet, chunks and pairs of `out`.
void compose_chunks(const StepInput&, Slowdown, timeline::BlockScratchData& scratch, ComposedStep& out);

}  // namespace echo::simulate
