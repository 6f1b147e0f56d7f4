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
#include <algorithm>

#include "timeline/schedule.hpp"

namespace echo::timeline::schedules {

static const char* admits(const PipelineShape& shape) {
  if (shape.chunks != shape.stages) return "zb-h1 runs one chunk per stage; use zb-v";
  return nullptr;
}

static std::int32_t warm_up(const PipelineShape& shape, std::int32_t stage) {
  return std::min(shape.stages - 1 - stage, shape.microbatches);
}

// Turn j is: a forward while there are any, the backward of microbatch j, and from turn `stage` on a weight
// gradient. Turn m is the weight gradients left over.
static std::int32_t start_of_turn(const PipelineShape& shape, std::int32_t stage, std::int32_t j) {
  const std::int32_t warm = warm_up(shape, stage);
  return warm + std::min(j, shape.microbatches - warm) + j + std::max(0, j - stage);
}

static void slice(const PipelineShape& shape, std::int32_t stage, std::int32_t from, std::int32_t to,
                  std::vector<Task>& out) {
  const std::int32_t m = shape.microbatches, warm = warm_up(shape, stage);
  std::int32_t at = from;
  for (; at < std::min(warm, to); ++at) out.push_back({TaskKind::forward, stage, at});
  std::int32_t turn = 0;  // the last one that starts at `at` or before, by bisection
  for (std::int32_t end = m + 1; end - turn > 1;) {
    const std::int32_t middle = turn + (end - turn) / 2;
    (start_of_turn(shape, stage, middle) <= at ? turn : end) = middle;
  }
  for (; at < to && turn < m; ++turn) {
    std::int32_t position = start_of_turn(shape, stage, turn);
    const auto append = [&](TaskKind kind, std::int32_t microbatch) {
      if (position++ == at && at < to) out.push_back({kind, stage, microbatch}), ++at;
    };
    if (warm + turn < m) append(TaskKind::forward, warm + turn);
    append(TaskKind::backward_input, turn);
    if (turn >= stage) append(TaskKind::backward_weight, turn - stage);
  }
  for (; at < to; ++at) out.push_back({TaskKind::backward_weight, stage, at - 2 * m});
}

// Repeat r of stage s is its turn s + r: forward of microbatch stages - 1 + r, backward of s + r, weight
// gradient of r. It needs its upstream neighbour's repeat r and its downstream neighbour's repeat r - 1.
static SteadyStretch steady(const PipelineShape& shape, std::int32_t stage) {
  return {.first = warm_up(shape, stage) + 2 * stage,
          .length = 3,
          .advance = 1,
          .repeats = shape.stages == 1 ? 0 : std::max(0, shape.microbatches - shape.stages)};
}

static std::int32_t in_flight(const PipelineShape& shape, std::int32_t) {
  return std::min(shape.stages, shape.microbatches);
}

static void order(const PipelineShape& shape, std::span<const ChunkTimes>, std::int32_t, Csr<Task>& out) {
  out.clear();
  for (std::int32_t stage = 0; stage < shape.stages; ++stage) {
    slice(shape, stage, 0, 3 * shape.microbatches, out.value);
    out.close_row();
  }
}

extern const Schedule zb_h1;
extern const Schedule zb_h1{.name = "zb-h1",
                            .source = "Qi et al. 2023, arXiv:2401.10241, section 2.1",
                            .admits = admits,
                            .place = place_round_robin,
                            .order = order,
                            .in_flight = in_flight,
                            .splits_backward = true,
                            .interleaves = false,
                            .slice = slice,
                            .steady = steady};

}  // namespace echo::timeline::schedules
