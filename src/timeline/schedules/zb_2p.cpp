// ZB-2p: the zero-bubble order planned for the given times within twice the memory of 1F1B: a stage holds at
// most 2 stages activations, each from its forward to its weight gradient. That is enough to avoid the
// bubble entirely where F, B and W take about as long.
// Candidates: those of zb-1p; ZB-H2 (stage s runs 2 (stages - s) - 1 forwards ahead and keeps 2 s weight
// gradients back); the greedy rule of planned.cpp.
// Source: Qi et al., "Zero Bubble Pipeline Parallelism", ICLR 2024, arXiv 2401.10241, sections 2.2 and 3.
// Limits: as zb-1p. A stage counts an activation in full until its weight gradient. Where B frees most of it
// (attention scores kept, no flash attention) the paper's limit in bytes allows more W to be delayed, and
// published bubbles for short W are smaller than these.
#include <algorithm>

#include "timeline/patterns/planned.hpp"

namespace echo::timeline::schedules {

static constexpr ShapeRule shape_rules[] = {
    {{"zb-2p runs one chunk per stage; use zb-v", "schedule vpp"},
     [](const PipelineShape& shape) { return shape.chunks == shape.stages; }},
};

static std::int32_t in_flight(const PipelineShape& shape, std::int32_t) {
  return std::min(2 * shape.stages, shape.microbatches);
}

static void plan(const PipelineShape& shape, std::span<const ChunkTimes> times, Csr<Task>& out) {
  static constexpr Rule rules[] = {
      {.kind = Rule::Kind::paced},
      {.kind = Rule::Kind::paced, .delay = 1},
      {.kind = Rule::Kind::paced, .window = 2, .window_shift = -1, .delay = 2},
      {.kind = Rule::Kind::greedy},
  };
  order_planned(shape, times, in_flight(shape, 0), rules, out);
}

extern const Schedule zb_2p{.name = "zb-2p",
                            .source = "Qi et al. 2023, arXiv:2401.10241, section 3",
                            .rules = shape_rules,
                            .place = place_round_robin,
                            .in_flight = in_flight,
                            .splits_backward = true,
                            .interleaves = false,
                            .plan = plan};

}  // namespace echo::timeline::schedules
