// Memory is the maximum over a few instants of the step: the loss of the last stage, the backward pass of
// one layer, the end of a backward pass (where new gradients wait to be added), the optimizer's update.
// States, buffers and libraries are present at all of them.
//
// The caching allocator (c10/cuda/CUDACachingAllocator.cpp) holds blocks that fit no request: a fraction of
// the allocated memory, estimated here whatever the device holds.
// Neglected: rounding of blocks to 512 B and 2 MiB, tensors of fewer numbers than a layer's (schedules,
// masks).
#include "training/memory/memory.hpp"

#include <algorithm>

#include "training/memory/communication_memory.hpp"
#include "training/memory/loss_memory.hpp"
#include "training/memory/model_states.hpp"
#include "training/memory/stage_activations.hpp"

namespace echo::training {

namespace {

Bytes whole(double bytes) { return Bytes(static_cast<std::int64_t>(bytes)); }

// Memory that one instant needs in addition to the permanent part.
struct Instant {
  double activations = 0, logits = 0, grads = 0;
  [[nodiscard]] double sum() const { return activations + logits + grads; }
};

// A stage may hold the last chunk of either copy of the model.
bool computes_loss(const RankLayout& layout, std::int32_t stage) {
  for (std::size_t chunk = 0; chunk < layout.stage_of_chunk.size(); ++chunk)
    if (layout.stage_of_chunk[chunk] == stage && layout.closes_model(chunk)) return true;
  return false;
}

Instant fullest(const TrainingConfig& c, const ModelSpec& m, const FrameworkSpec& f, const RankLayout& layout,
                const ModelStates& states, const StageActivations& stage_holds, std::int32_t stage,
                std::int32_t in_flight) {
  Instant most{.activations = stage_holds.held + stage_holds.passing};
  const auto consider = [&most](const Instant& other) {
    if (other.sum() > most.sum()) most = other;
  };
  if (computes_loss(layout, stage)) {
    const LossMemory loss = loss_memory(c, m, f);
    consider({.activations = stage_holds.held + loss.stream, .logits = loss.logits});
  }
  const double others = stage_holds.held * (in_flight - 1) / std::max(1, in_flight);
  consider({.activations = others, .grads = states.fresh_grads});
  consider({.grads = states.update_grads});
  return most;
}

// cuBLAS allocates 32 MiB per handle from Hopper on, 8 before (PyTorch
// aten/src/ATen/cuda/CublasHandlePool.cpp); cuBLASLt as much again. A CUDA graph has its own pool, which
// keeps what it holds: tensors kept for backward are there instead of in the eager pool, and the temporary
// ones of its passes are not shared with the eager rest.
double workspace_bytes(const TrainingConfig& c, const machine::GpuSpec& gpu, double passing) {
  constexpr double mib = 1024.0 * 1024.0;
  const double products = (gpu.compute_capability >= 90 ? 2.0 * 32.0 : 2.0 * 8.0) * mib;
  return products + (c.recipe.cuda_graphs ? passing : 0.0);
}

}  // namespace

MemoryUse estimate_memory(const TrainingConfig& c, const ModelSpec& m, const FrameworkSpec& f,
                          const RankLayout& layout, const machine::GpuSpec& gpu, std::int32_t stage,
                          std::int32_t in_flight) {
  const ModelStates states = model_states(c, m, f, layout, gpu.compute_capability, stage);
  const StageActivations stage_holds = stage_activations(c, m, f, layout, stage, in_flight);
  const Instant instant = fullest(c, m, f, layout, states, stage_holds, stage, in_flight);
  const CommunicationMemory communication = communication_memory(c, m, f, layout, gpu, stage);
  MemoryUse use;
  use[MemoryPart::weights] = whole(states.weights);
  use[MemoryPart::master_weights] = whole(states.master_weights);
  use[MemoryPart::grads] = whole(states.grads + instant.grads);
  use[MemoryPart::optimizer] = whole(states.optimizer);
  use[MemoryPart::activations] = whole(instant.activations);
  use[MemoryPart::logits] = whole(instant.logits);
  use[MemoryPart::workspaces] = whole(workspace_bytes(c, gpu, stage_holds.passing));
  use[MemoryPart::comm_buffers] = whole(communication.buffers);
  use[MemoryPart::comm_libraries] = whole(communication.libraries);
  use[MemoryPart::context] = gpu.context + f.reserve;
  use[MemoryPart::fragmentation] = whole(f.fragmentation * static_cast<double>(use.allocated().value));
  return use;
}

}  // namespace echo::training
