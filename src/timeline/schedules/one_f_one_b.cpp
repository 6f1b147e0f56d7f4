// 1F1B: stage s runs stages - 1 - s forwards, then alternates one forward and one backward, then drains. It
// holds at most stages - s microbatches, whatever their number. Source: Narayanan et al., "PipeDream", SOSP
// 2019 (1F1B); Narayanan et al., "Efficient Large-Scale Language Model Training on GPU Clusters Using
// Megatron-LM", SC 2021, section 2.2.1 (with flush); Megatron-LM core/pipeline_parallel/schedules.py,
// forward_backward_pipelining_without_interleaving. With pairs, which need a single stage: the first
// forward, then pairs of each next forward with the backward before it, then the last backward
// (combined_1f1b.py).
#include <algorithm>

#include "timeline/patterns/alternating.hpp"

namespace echo::timeline::schedules {

static std::int32_t warm_up(const PipelineShape& shape, std::int32_t stage) {
  return std::min(shape.stages - 1 - stage + (shape.pairs ? 1 : 0), shape.microbatches);
}

static constexpr ShapeRule shape_rules[] = {
    {{"1f1b runs one chunk per stage; use interleaved", "schedule vpp"},
     [](const PipelineShape& shape) { return shape.chunks == shape.stages; }},
    {{"all-to-alls beside another microbatch need virtual stages in a pipeline; use interleaved",
      "schedule vpp pp overlap_ep"},
     [](const PipelineShape& shape) { return !shape.pairs || shape.stages == 1; }},
};

static void slice(const PipelineShape& shape, std::int32_t stage, std::int32_t from, std::int32_t to,
                  std::vector<Task>& out) {
  append_alternating(shape, stage, warm_up(shape, stage), from, to, out);
}

// Repeat r of stage s is its pair s + r: forward of microbatch stages - 1 + r, backward of microbatch s + r.
// It needs its upstream neighbour's repeat r and its downstream neighbour's repeat r - 1. The last stage ends
// with the pair of the last backward, which is left out.
static SteadyStretch steady(const PipelineShape& shape, std::int32_t stage) {
  return {.first = warm_up(shape, stage) + 2 * stage,
          .length = 2,
          .advance = 1,
          .repeats = shape.stages == 1 ? 0 : std::max(0, shape.microbatches - shape.stages)};
}

static std::int32_t in_flight(const PipelineShape& shape, std::int32_t stage) {
  return std::min(shape.stages - stage + (shape.pairs ? 1 : 0), shape.microbatches);
}

extern const Schedule one_f_one_b{.name = "1f1b",
                                  .source = "Narayanan et al. 2021 (SC), section 2.2.1",
                                  .rules = shape_rules,
                                  .place = place_round_robin,
                                  .in_flight = in_flight,
                                  .splits_backward = false,
                                  .interleaves = false,
                                  .slice = slice,
                                  .steady = steady,
                                  .pairs = Pairs::on_demand,
                                  .defers = true};

}  // namespace echo::timeline::schedules
