// Device memory of the gpu ranks of one stage.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/units.hpp"
#include "training/config.hpp"
#include "training/framework.hpp"
#include "training/model.hpp"
#include "training/rank_layout.hpp"
#include "training/rank_parameters.hpp"

namespace echo::training {

enum class MemoryPart : std::int8_t { weights, grads, optimizer, activations, comm_buffers, fragmentation };
inline constexpr std::int32_t memory_part_count = 6;
inline constexpr std::array<std::string_view, memory_part_count> memory_part_names{
    "weights", "grads", "optimizer", "activations", "comm_buffers", "fragmentation"};

struct MemoryUse {
  std::array<Bytes, memory_part_count> part{};
  [[nodiscard]] Bytes total() const;
  friend bool operator==(const MemoryUse&, const MemoryUse&) = default;
};

// What a layer keeps of one microbatch for its backward pass.
[[nodiscard]] double kept_layer_bytes(const TrainingConfig&, const ModelSpec&, LayerKind);

// `in_flight`: microbatch-chunks whose activations the schedule holds at once on this stage (its stated
// high-water).
[[nodiscard]] MemoryUse estimate_memory(const TrainingConfig&, const ModelSpec&, const FrameworkSpec&,
                                        const RankLayout&, std::int32_t stage, std::int32_t in_flight);

}  // namespace echo::training
