// Communication buffers: those allocated by frameworks and those allocated by communication libraries.
#pragma once

#include <cstdint>

#include "machine/gpu.hpp"
#include "training/config.hpp"
#include "training/framework.hpp"
#include "training/layout/rank_layout.hpp"
#include "training/model.hpp"

namespace echo::training {

// Bytes on a GPU rank of the stage: inside PyTorch's allocator and outside it.
struct CommunicationMemory {
  double buffers = 0, libraries = 0;
};
[[nodiscard]] CommunicationMemory communication_memory(const TrainingConfig&, const ModelSpec&,
                                                       const FrameworkSpec&, const RankLayout&,
                                                       const machine::GpuSpec&, std::int32_t stage);

// Bytes of one NCCL communicator once a collective has run in it; of its connections to `peers` ranks for
// direct sends and receives.
[[nodiscard]] double communicator_bytes(const machine::GpuSpec&, const machine::GroupSpan&);
[[nodiscard]] double peer_to_peer_bytes(const machine::GpuSpec&, std::int32_t peers_within, bool across);

}  // namespace echo::training
