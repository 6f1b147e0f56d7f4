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

// `in_flight`: microbatch-chunks whose activations the schedule holds at once on this stage (its stated
// high-water).
[[nodiscard]] MemoryUse estimate_memory(const TrainingConfig&, const ModelSpec&, const FrameworkSpec&,
                                        const RankLayout&, std::int32_t stage, std::int32_t in_flight);

// Parameters one gpu rank of `stage` holds before any ZeRO sharding.
[[nodiscard]] std::int64_t stage_parameters(const TrainingConfig&, const ModelSpec&, const FrameworkSpec&,
                                            const RankLayout&, std::int32_t stage);

// The same for one model chunk, for one transformer layer, and what of a layer every tensor rank holds whole
// (norm weights, biases of row-parallel products).
[[nodiscard]] std::int64_t chunk_parameters(const TrainingConfig&, const ModelSpec&, const FrameworkSpec&,
                                            const RankLayout&, std::int32_t chunk);
[[nodiscard]] std::int64_t layer_parameters_per_rank(const TrainingConfig&, const ModelSpec&);
[[nodiscard]] std::int64_t replicated_layer_parameters(const ModelSpec&);

// Vocabulary rows after Megatron's padding (a multiple of 128 * tensor), whole table.
[[nodiscard]] std::int64_t padded_vocabulary(const TrainingConfig&, const ModelSpec&, const FrameworkSpec&);

}  // namespace echo::training
