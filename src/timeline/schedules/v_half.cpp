// V-Half: two chunks on every stage in a V, as zb-v, with half the memory of 1F1B: a stage holds at most
// (stages + 2) / 2 microbatches (2 chunks each), rounded down. A microbatch goes down the V by two slots per
// stage and up by one, so the second chunk's activations live half as long. With F = B = W the bubble is
// half that of 1F1B. Source: Qi et al., "Pipeline Parallelism with Controllable Memory", NeurIPS 2024, arXiv
// 2405.15362, section 3.3; slots of the building block: sail-sg/zero-bubble-pipeline-parallelism,
// scheduler/zbv_greedy.py. Limits: the order does not depend on times, nor does the authors'; where W
// differs much from F and B or the stages differ, zb-v or interleaved may be better.
#include "timeline/patterns/building_block.hpp"

namespace echo::timeline::schedules {

static constexpr ShapeRule shape_rules[] = {
    {{"v-half needs exactly two chunks per stage", "schedule vpp"},
     [](const PipelineShape& shape) { return shape.chunks == 2 * shape.stages; }},
};

static Slots slots(std::int32_t stages, std::int32_t stage) {
  const std::int32_t pause = stages % 2 == 0 ? 3 : 0;  // keeps the four apart modulo 6
  return {2 * stage, 3 * stages - stage - 2, 3 * stages + pause + 2 * stage - 1,
          6 * stages + pause - stage - 2};
}

static std::int32_t limit(std::int32_t stages) { return 2 * ((stages + 2) / 2); }

static constexpr BuildingBlock block{slots, limit};

extern const Schedule v_half{.name = "v-half",
                             .source = "Qi et al. 2024, arXiv:2405.15362, section 3",
                             .rules = shape_rules,
                             .place = place_v,
                             .in_flight = LaidOut<block>::in_flight,
                             .splits_backward = true,
                             .interleaves = true,
                             .slice = LaidOut<block>::slice,
                             .steady = LaidOut<block>::steady};

}  // namespace echo::timeline::schedules
