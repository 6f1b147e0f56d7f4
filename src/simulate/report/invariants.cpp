#include "simulate/report/invariants.hpp"

namespace echo::simulate {

const char* check_step(const StepFacts& facts) {
  if (facts.step <= SimTime::zero()) return "a step takes time";
  if (facts.step_no_slowdown <= SimTime::zero()) return "a step takes time without slowdown too";
  if (facts.step < facts.busiest_stage) return "a step is no shorter than its busiest stage";
  SimTime sum{};
  for (const SimTime part : facts.exposed) {
    if (part < SimTime::zero()) return "no part of a step is negative";
    sum += part;
  }
  if (sum != facts.step) return "the exposed parts sum to the step";
  if (!(facts.mfu >= 0.0 && facts.mfu <= 1.0)) return "model FLOPs utilisation lies between 0 and 1";
  return nullptr;
}

}  // namespace echo::simulate
