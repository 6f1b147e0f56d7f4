// ZB-1p: the zero-bubble order planned for the given times within the memory of 1F1B: a stage holds at most
// `stages` activations, each from its forward to its weight gradient.
// Candidates: 1F1B with the weight gradient at once, so the plan is never slower than 1F1B; ZB-H1; the
// greedy rule of planned.cpp.
// Source: Qi et al., "Zero Bubble Pipeline Parallelism", ICLR 2024, arXiv 2401.10241, section 3.
// Limits: the plan does not include transfers (the paper's does); it is a heuristic, not the integer
// program. The memory held between B and W counts in full; in the paper it is somewhat less, so its limit
// admits a bit more.
#include <algorithm>

#include "timeline/patterns/planned.hpp"

namespace echo::timeline::schedules {

static constexpr ShapeRule shape_rules[] = {
    {{"zb-1p runs one chunk per stage; use zb-v", "schedule vpp"},
     [](const PipelineShape& shape) { return shape.chunks == shape.stages; }},
};

static std::int32_t in_flight(const PipelineShape& shape, std::int32_t) {
  return std::min(shape.stages, shape.microbatches);
}

static void plan(const PipelineShape& shape, std::span<const ChunkTimes> times, Csr<Task>& out) {
  static constexpr Rule rules[] = {
      {.kind = Rule::Kind::paced},
      {.kind = Rule::Kind::paced, .delay = 1},
      {.kind = Rule::Kind::greedy},
  };
  order_planned(shape, times, in_flight(shape, 0), rules, out);
}

extern const Schedule zb_1p{.name = "zb-1p",
                            .source = "Qi et al. 2023, arXiv:2401.10241, section 3",
                            .rules = shape_rules,
                            .place = place_round_robin,
                            .in_flight = in_flight,
                            .splits_backward = true,
                            .interleaves = false,
                            .plan = plan};

}  // namespace echo::timeline::schedules
