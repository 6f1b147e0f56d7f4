// Device memory by part.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/at.hpp"
#include "base/units.hpp"

namespace echo::training {

// Ordered by PyTorch's figures: parts up to comm_buffers are `memory_allocated`, with fragmentation
// `memory_reserved`; the total is the memory that nvidia-smi reports as used.
enum class MemoryPart : std::int8_t {
  weights,         // as kernels read them
  master_weights,  // fp32 copies the optimizer updates, or FSDP's shards
  grads,
  optimizer,
  activations,
  logits,
  workspaces,      // of matrix products; pools of CUDA graphs
  comm_buffers,    // hops, all-to-alls, units gathered by FSDP
  fragmentation,   // excess memory of the caching allocator
  comm_libraries,  // NCCL's channels, user buffers: outside the allocator
  context          // CUDA context and loaded kernels
};
inline constexpr std::int32_t memory_part_count = 11;
inline constexpr std::array<std::string_view, memory_part_count> memory_part_names{
    "weights",    "master_weights", "grads",         "optimizer",      "activations", "logits",
    "workspaces", "comm_buffers",   "fragmentation", "comm_libraries", "context"};

using MemoryParts = std::array<Bytes, memory_part_count>;

struct MemoryUse {
  MemoryParts part{};
  [[nodiscard]] constexpr Bytes& operator[](MemoryPart p) { return part[at(p)]; }
  [[nodiscard]] constexpr Bytes operator[](MemoryPart p) const { return part[at(p)]; }
  [[nodiscard]] constexpr Bytes up_to(MemoryPart last) const {
    Bytes sum;
    for (std::size_t i = 0; i <= static_cast<std::size_t>(last); ++i) sum += part[i];
    return sum;
  }
  [[nodiscard]] constexpr Bytes allocated() const { return up_to(MemoryPart::comm_buffers); }
  [[nodiscard]] constexpr Bytes reserved() const { return up_to(MemoryPart::fragmentation); }
  [[nodiscard]] constexpr Bytes total() const { return up_to(MemoryPart::context); }
  friend bool operator==(const MemoryUse&, const MemoryUse&) = default;
};

}  // namespace echo::training
