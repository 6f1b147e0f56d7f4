// Blocks -> the whole step of every stage, and where the busiest stage's time went.
#pragma once

#include <vector>

#include "simulate/step/compose_chunks.hpp"
#include "simulate/step/workspace.hpp"

namespace echo::simulate {

// Composes the step of these prices: all of `out` but its critical path. `placed`, when not null, receives
// every pipeline task.
void compose(const StepInput&, Slowdown, ComposeScratch& scratch, ComposedStep& out,
             std::vector<timeline::PlacedTask>* placed = nullptr);

// The step as it would be where nothing that overlaps slows, and where collectives do not slow each other.
struct SlowedSteps {
  SimTime unslowed{}, apart{};
};

// As compose() with slowdown (between collectives, too, if `collectives_slow`), and the two steps that it is
// compared with. Contract: prices of the PriceMemo that `scratch` has known so far.
[[nodiscard]] SlowedSteps compose_slowed(const StepInput&, bool collectives_slow, ComposeScratch& scratch,
                                         ComposedStep& out);

// The step whose passes take that long, all else as priced; `pipeline` is scratch, too.
[[nodiscard]] SimTime step_of(const StepInput&, const PassTimes&, timeline::PipelineScratch& scratch,
                              timeline::PipelineTimes& pipeline);

// Whether stages go on by themselves at the end of a step, rather than wait for the slowest at the gradient
// norm.
[[nodiscard]] bool stages_go_on(const StepInput&);

}  // namespace echo::simulate
