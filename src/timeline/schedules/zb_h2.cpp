// ZB-H2: ZB-H1 with about twice the memory. Stage s runs 2 (stages - 1 - s) forwards ahead of its first
// backward, so many that nothing is missing when the first backward arrives, and keeps its weight gradients
// back by 2 s microbatches, so the last ones fill the drain. Every stage holds 2 stages - 1 activations.
// With F = B = W no stage waits between its first task and its last; for other times a stage idles at most
// (stages - 1)(F + B - 2 W) where that is positive. The step of one pipeline alone is still longer, by the
// time the last stage waits for its first forward: the parallelogram of steps only closes where no stage
// waits for the others at the end (optimizer post-validation).
// Source: Qi et al., "Zero Bubble Pipeline Parallelism", ICLR 2024, arXiv 2401.10241, section 2.2, table 2.
// Limits: as zb-h1; the planned zb-2p has this order among its candidates.
#include <algorithm>

#include "timeline/paced.hpp"

namespace echo::timeline::schedules {

static const char* admits(const PipelineShape& shape) {
  if (shape.chunks != shape.stages) return "zb-h2 runs one chunk per stage; use zb-v";
  return nullptr;
}

static Pace pace(const PipelineShape& shape, std::int32_t stage) {
  return {.warm_up = 2 * (shape.stages - 1 - stage), .delay = 2 * stage};
}

static void slice(const PipelineShape& shape, std::int32_t stage, std::int32_t from, std::int32_t to,
                  std::vector<Task>& out) {
  append_paced(shape, stage, pace(shape, stage), from, to, out);
}

// Repeat r of stage s is its turn 2 s + r: forward of microbatch 2 (stages - 1) + r, backward of 2 s + r,
// weight gradient of r. It needs its upstream neighbour's repeat r and its downstream neighbour's r - 2.
static SteadyStretch steady(const PipelineShape& shape, std::int32_t stage) {
  return {.first = pace(shape, stage).warm_up + 4 * stage,
          .length = 3,
          .advance = 1,
          .repeats = shape.stages == 1 ? 0 : std::max(0, shape.microbatches - 2 * shape.stages + 1)};
}

static std::int32_t in_flight(const PipelineShape& shape, std::int32_t stage) {
  return held_by(shape, pace(shape, stage));
}

extern const Schedule zb_h2;
static void order(const PipelineShape& shape, std::span<const ChunkTimes>, std::int32_t, Csr<Task>& out) {
  order_from_slices(zb_h2, shape, out);
}

extern const Schedule zb_h2{.name = "zb-h2",
                            .source = "Qi et al. 2023, arXiv:2401.10241, section 2.2",
                            .admits = admits,
                            .place = place_round_robin,
                            .order = order,
                            .in_flight = in_flight,
                            .splits_backward = true,
                            .interleaves = false,
                            .slice = slice,
                            .steady = steady};

}  // namespace echo::timeline::schedules
