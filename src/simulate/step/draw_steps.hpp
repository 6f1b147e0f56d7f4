// Step times of jobs with GPUs of unequal speed: seeded draws.
#pragma once

#include <span>

#include "simulate/skew.hpp"
#include "simulate/step/compose_step.hpp"

namespace echo::simulate {

// The step of each draw, ascending, in `scratch`. Contract: `step` is composed, with slowdown; skew.draws
// >= 1.
[[nodiscard]] std::span<SimTime> draw_steps(const StepInput&, const ComposedStep& step, const Skew&,
                                            timeline::PipelineScratch& pipeline, SkewScratch& scratch);

// Paces of so many gpu ranks or more; the table stays where it has them, so that configs of a sweep share it.
void fill_paces(const Skew&, std::int32_t gpus, PaceTable& table);

// Gpu ranks of a stage, consecutive, that wait for each other within every layer.
[[nodiscard]] std::int32_t ranks_in_step(const training::TrainingConfig&, const training::RankLayout&);

}  // namespace echo::simulate
