// The pattern of ZB-H1 and ZB-H2: 1F1B with a split backward, and weight gradients delayed by a fixed number
// of microbatches.
#pragma once

#include <cstdint>
#include <vector>

#include "timeline/schedule.hpp"

namespace echo::timeline {

// Stage s runs at most `warm_up` forwards, then rounds of one forward, one input gradient and one weight
// gradient: forwards as long as there are any, weight gradients from round `delay` on, `delay` microbatches
// later. The remaining weight gradients come last.
struct Pace {
  std::int32_t warm_up = 0, delay = 0;
};

// Appends positions [from, to) of such an order for a stage of one chunk.
void append_paced(const PipelineShape&, std::int32_t stage, Pace, std::int32_t from, std::int32_t to,
                  std::vector<Task>& out);

// Contract: warm_up + delay is the same on every stage, and warm_up decreases equally from stage to stage.
[[nodiscard]] SteadyStretch steady_paced(const PipelineShape&, Pace);

// Maximum number of activations that such a stage holds at once, each from its forward to its weight
// gradient.
[[nodiscard]] std::int32_t held_by(const PipelineShape&, Pace);

// A schedule's functions for the pace of its stages.
template <Pace (*pace)(const PipelineShape&, std::int32_t stage)>
struct Paced {
  static void slice(const PipelineShape& shape, std::int32_t stage, std::int32_t from, std::int32_t to,
                    std::vector<Task>& out) {
    append_paced(shape, stage, pace(shape, stage), from, to, out);
  }
  static SteadyStretch steady(const PipelineShape& shape, std::int32_t stage) {
    return steady_paced(shape, pace(shape, stage));
  }
  static std::int32_t in_flight(const PipelineShape& shape, std::int32_t stage) {
    return held_by(shape, pace(shape, stage));
  }
};

}  // namespace echo::timeline
