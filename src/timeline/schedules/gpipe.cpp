// GPipe: all forwards, then all backwards. Every microbatch's activations are alive when forwards turn to
// backwards. Source: Huang et al., "GPipe: Efficient Training of Giant Neural Networks using Pipeline
// Parallelism", NeurIPS 2019, figure 2. Backwards run in microbatch order, as PyTorch's ScheduleGPipe does
// (the paper draws them reversed; for equal stages the time is the same).
#include "timeline/schedule.hpp"

namespace echo::timeline::schedules {

static constexpr ShapeRule shape_rules[] = {
    {{"gpipe runs one chunk per stage", "schedule vpp"},
     [](const PipelineShape& shape) { return shape.chunks == shape.stages; }},
};

static void slice(const PipelineShape& shape, std::int32_t stage, std::int32_t from, std::int32_t to,
                  std::vector<Task>& out) {
  const std::int32_t m = shape.microbatches;
  for (std::int32_t i = from; i < to; ++i) {
    out.push_back(i < m ? task_of(TaskKind::forward, stage, i) : task_of(TaskKind::backward, stage, i - m));
  }
}

static std::int32_t in_flight(const PipelineShape& shape, std::int32_t) { return shape.microbatches; }

extern const Schedule gpipe{.name = "gpipe",
                            .source = "Huang et al. 2019, figure 2",
                            .rules = shape_rules,
                            .place = place_round_robin,
                            .in_flight = in_flight,
                            .splits_backward = false,
                            .interleaves = false,
                            .slice = slice};

}  // namespace echo::timeline::schedules
