// Orders made from a building block: the tasks of one microbatch at fixed slots, the next microbatch one
// round of six slots later. For schedules with two chunks per stage in a V-shaped placement.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "timeline/schedule.hpp"

namespace echo::timeline {

// The slots at which a stage runs a microbatch's forward going down the V and up, and its input gradient
// going down and up. They differ modulo 6, and each comes after the slot that produces its input. The other
// two slots of a round are for weight gradients.
using Slots = std::array<std::int32_t, 4>;
struct BuildingBlock {
  Slots (*slots)(std::int32_t stages, std::int32_t stage);
  std::int32_t (*limit)(std::int32_t stages);  // activations a stage holds with these slots, each from its
                                               // forward to its weight gradient
};

void append_blocks(const PipelineShape&, std::int32_t stage, const BuildingBlock&, std::int32_t from,
                   std::int32_t to, std::vector<Task>& out);
[[nodiscard]] SteadyStretch steady_blocks(const PipelineShape&, std::int32_t stage, const BuildingBlock&);
// Maximum number of activations that the stage holds at once.
[[nodiscard]] std::int32_t held_by_blocks(const PipelineShape&, std::int32_t stage, const BuildingBlock&);

// A schedule's functions for its block.
template <const BuildingBlock& block>
struct LaidOut {
  static void slice(const PipelineShape& shape, std::int32_t stage, std::int32_t from, std::int32_t to,
                    std::vector<Task>& out) {
    append_blocks(shape, stage, block, from, to, out);
  }
  static SteadyStretch steady(const PipelineShape& shape, std::int32_t stage) {
    return steady_blocks(shape, stage, block);
  }
  static std::int32_t in_flight(const PipelineShape& shape, std::int32_t stage) {
    return held_by_blocks(shape, stage, block);
  }
};

}  // namespace echo::timeline
