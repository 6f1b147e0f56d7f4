// ZB-H1: 1F1B with the backward split in two. Upstream stages wait only for the gradient of the input (B);
// the gradient of the weights (W) can run any time after it. Stage s delays its W by s microbatches: there,
// nearer the end of the pipeline, 1F1B holds s activations less than on the first stage, so every stage now
// holds `stages` of them, the most that 1F1B holds. The B of the first microbatches thereby come sooner, and
// the remaining W fill the wait for the last ones. Order of stage s, after stages - 1 - s forwards: F B (s
// times), then F B W, then B W (the drain), then s times W. With equal times F = B = W the step is
// microbatches (F + B + W) + (stages - 1)(F + B - W), for microbatches >= stages; 1F1B's is microbatches (F
// + B + W) + (stages - 1)(F + B + W). Source: Qi et al., "Zero Bubble Pipeline Parallelism", ICLR 2024,
// arXiv 2401.10241, section 2.1, table 2. Limits: the order does not depend on times. Where W differs much
// from F and B or the stages differ, a delayed W can postpone a later B, and the planned zb-1p is better.
// Gradients for weights hold as much memory until their W as a whole activation here; in the paper, somewhat
// less.
#include "timeline/patterns/paced.hpp"

namespace echo::timeline::schedules {

static constexpr ShapeRule shape_rules[] = {
    {{"zb-h1 runs one chunk per stage; use zb-v", "schedule vpp"},
     [](const PipelineShape& shape) { return shape.chunks == shape.stages; }},
};

static Pace pace(const PipelineShape& shape, std::int32_t stage) {
  return {.warm_up = shape.stages - 1 - stage, .delay = stage};
}

extern const Schedule zb_h1{.name = "zb-h1",
                            .source = "Qi et al. 2023, arXiv:2401.10241, section 2.1",
                            .rules = shape_rules,
                            .place = place_round_robin,
                            .in_flight = Paced<pace>::in_flight,
                            .splits_backward = true,
                            .interleaves = false,
                            .slice = Paced<pace>::slice,
                            .steady = Paced<pace>::steady};

}  // namespace echo::timeline::schedules
