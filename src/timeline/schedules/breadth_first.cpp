// Breadth-first: every stage holds v chunks, as interleaved does, and all microbatches pass one chunk before
// the first continues with the next; backwards too, last chunk first. It is GPipe in laps: the bubble is
// that of interleaved, 1/v of GPipe's, and every microbatch's activations are alive when forwards turn to
// backwards. Its purpose: with sharded weights a chunk's weights are gathered once per pass and its
// gradients reduced once per step, while other chunks compute, and each transfer has a whole lap of other
// work to hide behind. Source: Lamy-Poirier, "Breadth-First Pipeline Parallelism", MLSys 2023, arXiv
// 2211.05953, section 4.1; backwards in microbatch order, as in its figure 4d. Limits: with fewer
// microbatches than stages every lap waits for the first microbatch.
#include "timeline/schedule.hpp"

namespace echo::timeline::schedules {

static constexpr ShapeRule shape_rules[] = {
    {{"breadth-first needs at least two stages", "schedule pp"},
     [](const PipelineShape& shape) { return shape.stages >= 2; }},
    {{"breadth-first needs the same number of chunks on every stage", "schedule pp vpp"},
     [](const PipelineShape& shape) { return shape.chunks % shape.stages == 0; }},
    {{"breadth-first needs two or more chunks per stage; use gpipe", "schedule pp vpp"},
     [](const PipelineShape& shape) { return shape.chunks != shape.stages; }},
};

static void slice(const PipelineShape& shape, std::int32_t stage, std::int32_t from, std::int32_t to,
                  std::vector<Task>& out) {
  const std::int32_t m = shape.microbatches, laps = shape.chunks / shape.stages;
  for (std::int32_t i = from; i < to; ++i) {
    const std::int32_t pass = i / m;  // one chunk, one direction
    const bool is_forward = pass < laps;
    const std::int32_t lap = is_forward ? pass : 2 * laps - 1 - pass;
    out.push_back(task_of(is_forward ? TaskKind::forward : TaskKind::backward, lap * shape.stages + stage,
                          i - pass * m));
  }
}

static std::int32_t in_flight(const PipelineShape& shape, std::int32_t) {
  return shape.chunks / shape.stages * shape.microbatches;
}

extern const Schedule breadth_first{.name = "breadth-first",
                                    .source = "Lamy-Poirier 2022, arXiv:2211.05953, section 4.1",
                                    .rules = shape_rules,
                                    .place = place_round_robin,
                                    .in_flight = in_flight,
                                    .splits_backward = false,
                                    .interleaves = true,
                                    .slice = slice};

}  // namespace echo::timeline::schedules
