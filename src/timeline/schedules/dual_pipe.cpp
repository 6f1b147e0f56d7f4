// DualPipe: every stage holds the chunk at its position from the front and, of a second copy of the model,
// the chunk at its position from the back; half of the microbatches enter at either end, and the two halves
// meet. Forwards of one direction run as one with backwards of the other, so that transfers of one hide
// behind the other's computation. A stage holds at most stages + 1 microbatches, and weights twice. With F,
// B, W the times of a forward, a whole backward and its weight gradients, and F&B of a pair, a stage idles
// for (stages / 2 - 1)(F&B + B - 3 W), less than 1F1B's (stages - 1)(F + B).
#include "timeline/patterns/dual.hpp"

namespace echo::timeline::schedules {

static constexpr ShapeRule shape_rules[] = {
    {{"dualpipe needs an even number of stages", "schedule pp"},
     [](const PipelineShape& shape) { return shape.stages % 2 == 0; }},
    {{"dualpipe runs one chunk of each copy per stage", "schedule pp vpp"},
     [](const PipelineShape& shape) { return shape.chunks == 2 * shape.stages; }},
    {{"dualpipe needs an even number of microbatches, at least two per stage",
      "schedule pp global_batch micro_batch dp"},
     [](const PipelineShape& shape) {
       return shape.microbatches % 2 == 0 && shape.microbatches >= 2 * shape.stages;
     }},
};

static DualStage dual(const PipelineShape& shape, std::int32_t stage) {
  const std::int32_t down = stage, up = shape.chunks - 1 - stage;
  const bool front = stage < shape.stages / 2;
  return {.arm = shape.stages / 2,
          .depth = front ? stage : shape.stages - 1 - stage,
          .microbatches = shape.microbatches / 2,
          .first_chunk = front ? down : up,
          .second_chunk = front ? up : down};
}

static std::int32_t in_flight(const PipelineShape& shape, std::int32_t) { return shape.stages + 1; }

extern const Schedule dual_pipe{.name = "dualpipe",
                                .source = "DeepSeek-V3, arXiv:2412.19437, section 3.2.1",
                                .rules = shape_rules,
                                .place = place_v,
                                .in_flight = in_flight,
                                .splits_backward = false,
                                .interleaves = true,
                                .slice = Dual<dual>::slice,
                                .steady = Dual<dual>::steady,
                                .pairs = Pairs::always,
                                .mixes_backwards = true,
                                .copies = 2};

}  // namespace echo::timeline::schedules
