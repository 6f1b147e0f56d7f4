// DualPipeV: DualPipe cut in half. Each stage holds two chunks of one copy of the model, placed like a V, so
// that half the stages with half the weights do the work of DualPipe's: a stage of depth s has DualPipe's
// order, with its chunk on the way down in place of one direction and its chunk on the way up in place of
// the other. It holds at most 2 stages + 1 chunks' activations, and idles for (stages - 1)(F&B + B - 3 W),
// times of chunks half the size. Source: Sea AI Lab, "DualPipe could be better without the Dual" (cut in
// half), 2025; github.com/deepseek-ai/DualPipe, dualpipev.py.
#include "timeline/patterns/dual.hpp"

namespace echo::timeline::schedules {

static constexpr ShapeRule shape_rules[] = {
    {{"dualpipev needs exactly two chunks per stage", "schedule pp vpp"},
     [](const PipelineShape& shape) { return shape.chunks == 2 * shape.stages; }},
    {{"dualpipev needs at least two microbatches per stage", "schedule pp global_batch micro_batch dp"},
     [](const PipelineShape& shape) { return shape.microbatches >= 2 * shape.stages; }},
};

static DualStage dual(const PipelineShape& shape, std::int32_t stage) {
  return {.arm = shape.stages,
          .depth = stage,
          .microbatches = shape.microbatches,
          .first_chunk = stage,
          .second_chunk = shape.chunks - 1 - stage};
}

static std::int32_t in_flight(const PipelineShape& shape, std::int32_t) { return shape.chunks + 1; }

extern const Schedule dual_pipe_v{.name = "dualpipev",
                                  .source = "github.com/deepseek-ai/DualPipe, dualpipev.py",
                                  .rules = shape_rules,
                                  .place = place_v,
                                  .in_flight = in_flight,
                                  .splits_backward = false,
                                  .interleaves = true,
                                  .slice = Dual<dual>::slice,
                                  .steady = Dual<dual>::steady,
                                  .pairs = Pairs::always,
                                  .mixes_backwards = true};

}  // namespace echo::timeline::schedules
