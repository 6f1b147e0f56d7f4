// Stages of a pipeline whose steps end alike: what one of them does is listed for the next without being
// worked out again.
#pragma once

#include <cstdint>

#include "training/layout/rank_layout.hpp"
#include "workload/workload.hpp"

namespace echo::workload {

// Where the stage holds the same chunks as the one before it, and no end of the model, gives it the same
// tail. False, and nothing changes, where it does not. Contract: the tail has the stages before it.
[[nodiscard]] bool repeats_stage_before(const training::RankLayout&, std::int32_t stage, StepTail&);

}  // namespace echo::workload
