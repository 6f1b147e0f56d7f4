// ZB-H1: 1F1B with the backward split in two. Only the gradient of the input (B) is waited for upstream; the
// gradient of the weights (W) can run any time after it. Stage s keeps its W back by s microbatches: there,
// nearer the end of the pipeline, 1F1B holds s activations less than on the first stage, so every stage now
// holds stages of them, 1F1B's most. The B of the first microbatches thereby come sooner, and the W left over
// fill the wait for the last ones.
// Stage s, after stages - 1 - s forwards: F B (s times), then F B W, then B W (the drain), then s times W.
// With equal times F = B = W the step is microbatches (F + B + W) + (stages - 1)(F + B - W), for microbatches
// >= stages; 1F1B's is microbatches (F + B + W) + (stages - 1)(F + B + W).
// Source: Qi et al., "Zero Bubble Pipeline Parallelism", ICLR 2024, arXiv 2401.10241, section 2.1, table 2.
// Limits: the order looks at no times. Where W is far from F and B or the stages differ, a W kept back can
// stand in the way of a later B, and the planned zb-1p is better. Gradients for weights hold as much memory
// until their W as a whole activation here; in the paper, somewhat less.
#include "timeline/patterns/paced.hpp"

namespace echo::timeline::schedules {

static const char* admits(const PipelineShape& shape) {
  if (shape.chunks != shape.stages) return "zb-h1 runs one chunk per stage; use zb-v";
  return nullptr;
}

static Pace pace(const PipelineShape& shape, std::int32_t stage) {
  return {.warm_up = shape.stages - 1 - stage, .delay = stage};
}

extern const Schedule zb_h1{.name = "zb-h1",
                            .source = "Qi et al. 2023, arXiv:2401.10241, section 2.1",
                            .admits = admits,
                            .place = place_round_robin,
                            .in_flight = Paced<pace>::in_flight,
                            .splits_backward = true,
                            .interleaves = false,
                            .slice = Paced<pace>::slice,
                            .steady = Paced<pace>::steady};

}  // namespace echo::timeline::schedules
