// Interleaved 1F1B: every stage holds v chunks (chunk c on stage c % stages), and a microbatch passes the
// stages v times, which divides the bubble by v. Forwards run in groups of g microbatches per chunk, g =
// stages unless chosen, chunk after chunk; backwards too, last chunk first. Stage s warms up with 2 (stages
// - 1 - s) + (v - 1) g forwards, at most as many as there are, then alternates one forward and one backward,
// then drains. Larger groups hold more activations; they give a transfer more time to arrive. Source:
// Narayanan et al., SC 2021, section 2.2.2; Megatron-LM core/pipeline_parallel/schedules.py,
// forward_backward_pipelining_with_interleaving, get_pp_rank_microbatches and get_schedule_table
// (--microbatch-group-size-per-virtual-pipeline-stage; releases before 0.9 also ran all forwards as warm-up
// when microbatches == stages, which is not modelled). With pairs the warm-up is one forward longer, so that
// the forward and the backward of a pair never wait for each other.
#include <algorithm>

#include "timeline/patterns/alternating.hpp"

namespace echo::timeline::schedules {

static std::int32_t chunks_per_stage(const PipelineShape& shape) { return shape.chunks / shape.stages; }

static std::int32_t warm_up(const PipelineShape& shape, std::int32_t stage) {
  const std::int32_t v = chunks_per_stage(shape);
  const std::int32_t more = shape.pairs ? 1 : 0;
  return std::min(2 * (shape.stages - 1 - stage) + (v - 1) * group_of(shape) + more, v * shape.microbatches);
}

static constexpr ShapeRule shape_rules[] = {
    {{"interleaved needs at least two stages", "schedule pp"},
     [](const PipelineShape& shape) { return shape.stages >= 2; }},
    {{"interleaved needs the same number of chunks on every stage", "schedule pp vpp"},
     [](const PipelineShape& shape) { return shape.chunks % shape.stages == 0; }},
    {{"interleaved needs two or more chunks per stage; use 1f1b", "schedule pp vpp"},
     [](const PipelineShape& shape) { return shape.chunks != shape.stages; }},
    {{"interleaved needs microbatches divisible by stages",
      "schedule pp global_batch micro_batch dp microbatch_group"},
     [](const PipelineShape& shape) {
       return shape.microbatch_group != 0 || shape.microbatches % shape.stages == 0;
     }},
    {{"a microbatch group is at least the stages and at most the microbatches",
      "schedule pp global_batch micro_batch dp microbatch_group"},
     [](const PipelineShape& shape) {
       return shape.microbatch_group == 0 ||
              (shape.microbatch_group >= shape.stages && shape.microbatch_group <= shape.microbatches);
     }},
    {{"the last microbatch group must be whole or at least the stages",
      "schedule pp global_batch micro_batch dp microbatch_group"},
     [](const PipelineShape& shape) {
       if (shape.microbatch_group == 0) return true;
       const std::int32_t left_over = shape.microbatches % shape.microbatch_group;
       return left_over == 0 || left_over >= shape.stages;
     }},
};

static void slice(const PipelineShape& shape, std::int32_t stage, std::int32_t from, std::int32_t to,
                  std::vector<Task>& out) {
  append_alternating(shape, stage, warm_up(shape, stage), from, to, out);
}

// A repeat consists of g * v pairs, one group of microbatches through all chunks, starting at the stage's
// pair s: then a pair needs only earlier pairs of the other stages. The first and the last whole group
// contain first forwards and last backwards; the stretch ends before the forwards of a last group that is
// not whole.
static SteadyStretch steady(const PipelineShape& shape, std::int32_t stage) {
  return {.first = warm_up(shape, stage) + 2 * stage,
          .length = 2 * group_of(shape) * chunks_per_stage(shape),
          .advance = group_of(shape),
          .repeats = std::max(0, shape.microbatches / group_of(shape) - 2)};
}

static std::int32_t in_flight(const PipelineShape& shape, std::int32_t stage) {
  return std::min(warm_up(shape, stage) + 1, chunks_per_stage(shape) * shape.microbatches);
}

extern const Schedule interleaved{.name = "interleaved",
                                  .source = "Narayanan et al. 2021 (SC), section 2.2.2",
                                  .rules = shape_rules,
                                  .place = place_round_robin,
                                  .in_flight = in_flight,
                                  .splits_backward = false,
                                  .interleaves = true,
                                  .slice = slice,
                                  .steady = steady,
                                  .pairs = Pairs::on_demand,
                                  .defers = true};

}  // namespace echo::timeline::schedules
