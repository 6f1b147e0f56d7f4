// V-Min: two chunks on every stage in a V, as zb-v, with a third of the memory of 1F1B: a stage holds at
// most (stages + 4) / 3 microbatches (2 chunks each), rounded down; the least of all V-shaped schedules. A
// microbatch never rests: it goes down the V, up, and back again, one slot per stage. With F = B = W the
// bubble is about two thirds of that of 1F1B; it is sensitive to unequal times, since nothing is kept in
// reserve. Source: Qi et al., "Pipeline Parallelism with Controllable Memory", NeurIPS 2024, arXiv
// 2405.15362, section 3.3; slots of the building block: sail-sg/zero-bubble-pipeline-parallelism,
// scheduler/zbv_greedy.py. Limits: the order does not depend on times, nor does the authors'; where W
// differs much from F and B or the stages differ, zb-v or interleaved may be better.
#include "timeline/patterns/building_block.hpp"

namespace echo::timeline::schedules {

static constexpr ShapeRule shape_rules[] = {
    {{"v-min needs exactly two chunks per stage", "schedule vpp"},
     [](const PipelineShape& shape) { return shape.chunks == 2 * shape.stages; }},
};

static Slots slots(std::int32_t stages, std::int32_t stage) {
  const std::int32_t pause = stages % 3 == 0 ? 2 : 0;  // keeps the four apart modulo 6
  return {stage, 2 * stages - stage - 1, 2 * stages + pause + stage, 4 * stages + pause - stage - 1};
}

static std::int32_t limit(std::int32_t stages) { return 2 * ((stages + 4) / 3); }

static constexpr BuildingBlock block{slots, limit};

extern const Schedule v_min{.name = "v-min",
                            .source = "Qi et al. 2024, arXiv:2405.15362, section 3",
                            .rules = shape_rules,
                            .place = place_v,
                            .in_flight = LaidOut<block>::in_flight,
                            .splits_backward = true,
                            .interleaves = true,
                            .slice = LaidOut<block>::slice,
                            .steady = LaidOut<block>::steady};

}  // namespace echo::timeline::schedules
