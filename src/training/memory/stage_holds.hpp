// What a stage holds however many microbatches its schedule keeps in flight, and its memory with them.
#pragma once

#include <cstdint>

#include "machine/gpu.hpp"
#include "training/memory/communication_memory.hpp"
#include "training/memory/loss_memory.hpp"
#include "training/memory/memory_use.hpp"
#include "training/memory/model_states.hpp"
#include "training/memory/stage_activations.hpp"

namespace echo::training {

struct StageHolds {
  ModelStates states;
  StageActivations activations;
  CommunicationMemory communication;
  LossMemory loss;  // zero where the stage does not compute it
  bool computes_loss = false;
};
[[nodiscard]] StageHolds stage_holds(const TrainingConfig&, const ModelSpec&, const FrameworkSpec&,
                                     const RankLayout&, const machine::GpuSpec&, std::int32_t stage);

// Memory at the peak of the step, with `in_flight` microbatch-chunks.
[[nodiscard]] MemoryUse memory_with(const TrainingConfig&, const FrameworkSpec&, const machine::GpuSpec&,
                                    const StageHolds&, std::int32_t in_flight);

}  // namespace echo::training
