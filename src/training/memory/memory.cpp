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

#include "training/memory/stage_holds.hpp"

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

Instant fullest(const StageHolds& holds, double in_turn, std::int32_t in_flight) {
  const double put_off = holds.loss.put_off, held = in_turn + put_off;
  Instant most{.activations = held + holds.activations.passing};
  const auto consider = [&most](const Instant& other) {
    if (other.sum() > most.sum()) most = other;
  };
  if (holds.computes_loss) consider({.activations = held + holds.loss.stream, .logits = holds.loss.logits});
  const double others = put_off + in_turn * (in_flight - 1) / std::max(1, in_flight);
  consider({.activations = others, .grads = holds.states.fresh_grads});
  consider({.grads = holds.states.update_grads});
  return most;
}

// cuBLAS allocates 32 MiB per handle from Hopper on, 8 before (PyTorch
// aten/src/ATen/cuda/CublasHandlePool.cpp); cuBLASLt as much again. A CUDA graph has its own pool, which
// keeps what it holds: tensors kept for backward are there instead of in the eager pool, and the temporary
// ones of its passes are not shared with the eager rest. With graphs of parts of layers those are at most as
// much.
double workspace_bytes(const TrainingConfig& c, const machine::GpuSpec& gpu, double passing) {
  constexpr double mib = 1024.0 * 1024.0;
  const double products = (gpu.compute_capability >= 90 ? 2.0 * 32.0 : 2.0 * 8.0) * mib;
  const bool has_graphs = c.recipe.cuda_graphs || c.recipe.cuda_graph_modules != 0;
  return products + (has_graphs ? passing : 0.0);
}

}  // namespace

StageHolds stage_holds(const TrainingConfig& c, const ModelSpec& m, const FrameworkSpec& f,
                       const RankLayout& layout, const machine::GpuSpec& gpu, std::int32_t stage) {
  StageHolds holds{.states = model_states(c, m, f, layout, gpu.compute_capability, stage),
                   .activations = stage_activations(c, m, f, layout, stage),
                   .communication = communication_memory(c, m, f, layout, gpu, stage),
                   .loss = {},
                   .computes_loss = computes_loss(layout, stage)};
  if (holds.computes_loss) holds.loss = loss_memory(c, m, f);
  return holds;
}

MemoryUse memory_with(const TrainingConfig& c, const FrameworkSpec& f, const machine::GpuSpec& gpu,
                      const StageHolds& holds, std::int32_t in_flight) {
  const ModelStates& states = holds.states;
  const Instant instant = fullest(holds, holds.activations.held(in_flight, c.degrees.pipeline), in_flight);
  MemoryUse use;
  use[MemoryPart::weights] = whole(states.weights);
  use[MemoryPart::master_weights] = whole(states.master_weights);
  use[MemoryPart::grads] = whole(states.grads + instant.grads);
  use[MemoryPart::optimizer] = whole(states.optimizer);
  use[MemoryPart::activations] = whole(instant.activations);
  use[MemoryPart::logits] = whole(instant.logits);
  use[MemoryPart::workspaces] = whole(workspace_bytes(c, gpu, holds.activations.passing));
  use[MemoryPart::comm_buffers] = whole(holds.communication.buffers);
  use[MemoryPart::comm_libraries] = whole(holds.communication.libraries);
  use[MemoryPart::context] = gpu.context + f.reserve;
  use[MemoryPart::fragmentation] = whole(f.fragmentation * static_cast<double>(use.allocated().value));
  return use;
}

MemoryUse estimate_memory(const TrainingConfig& c, const ModelSpec& m, const FrameworkSpec& f,
                          const RankLayout& layout, const machine::GpuSpec& gpu, std::int32_t stage,
                          std::int32_t in_flight) {
  return memory_with(c, f, gpu, stage_holds(c, m, f, layout, gpu, stage), in_flight);
}

}  // namespace echo::training
