// ZB-H2: ZB-H1 with about twice the memory. Stage s runs 2 (stages - 1 - s) forwards before its first
// backward, enough that nothing is missing when the first backward arrives, and delays its weight gradients
// by 2 s microbatches, so the last ones fill the drain. Every stage holds 2 stages - 1 activations. With F =
// B = W no stage waits between its first task and its last; for other times a stage idles at most (stages -
// 1)(F + B - 2 W) where that is positive. The step of one pipeline alone is still longer, by the time the
// last stage waits for its first forward: the parallelogram of steps closes only where no stage waits for
// the others at the end (optimizer post-validation). Source: Qi et al., "Zero Bubble Pipeline Parallelism",
// ICLR 2024, arXiv 2401.10241, section 2.2, table 2. Limits: as zb-h1; the planned zb-2p has this order
// among its candidates.
#include "timeline/patterns/paced.hpp"

namespace echo::timeline::schedules {

static constexpr ShapeRule shape_rules[] = {
    {{"zb-h2 runs one chunk per stage; use zb-v", "schedule vpp"},
     [](const PipelineShape& shape) { return shape.chunks == shape.stages; }},
};

static Pace pace(const PipelineShape& shape, std::int32_t stage) {
  return {.warm_up = 2 * (shape.stages - 1 - stage), .delay = 2 * stage};
}

extern const Schedule zb_h2{.name = "zb-h2",
                            .source = "Qi et al. 2023, arXiv:2401.10241, section 2.2",
                            .rules = shape_rules,
                            .place = place_round_robin,
                            .in_flight = Paced<pace>::in_flight,
                            .splits_backward = true,
                            .interleaves = false,
                            .slice = Paced<pace>::slice,
                            .steady = Paced<pace>::steady};

}  // namespace echo::timeline::schedules
