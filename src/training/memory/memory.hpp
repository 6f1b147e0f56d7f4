// Device memory of the GPU ranks of one stage.
#pragma once

#include <cstdint>

#include "machine/gpu.hpp"
#include "training/config.hpp"
#include "training/framework.hpp"
#include "training/layout/rank_layout.hpp"
#include "training/memory/memory_use.hpp"
#include "training/model.hpp"

namespace echo::training {

// Memory at the peak of the step. `in_flight`: microbatch-chunks whose activations the schedule holds at once
// on this stage (its stated high-water mark). Nothing is limited to the device's memory: whether the step
// fits is simulate/report/memory_fit.hpp.
[[nodiscard]] MemoryUse estimate_memory(const TrainingConfig&, const ModelSpec&, const FrameworkSpec&,
                                        const RankLayout&, const machine::GpuSpec&, std::int32_t stage,
                                        std::int32_t in_flight);

}  // namespace echo::training
