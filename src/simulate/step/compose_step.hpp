// Composes the whole step of every stage from chunk times, and splits the busiest stage's time.
#pragma once

#include "simulate/catalog.hpp"
#include "simulate/step/workspace.hpp"
#include "timeline/schedule.hpp"
#include "training/config.hpp"

namespace echo::simulate {

struct StepOutcome {
  SimTime step{};
  std::int32_t critical_stage = 0;  // the stage with the most work
  SimTime busiest{};                // its work
  Cost cost;                        // of the critical stage; exposed sums to step
  StepEnd end;
};

// Contract: ws.chunks are composed. `placed`, when not null, receives every pipeline task; `trail`, when not
// null, what each waited for.
[[nodiscard]] StepOutcome compose_step(const training::TrainingConfig&, const training::FrameworkSpec&,
                                       const timeline::Schedule&, Workspace& ws,
                                       std::vector<timeline::PlacedTask>* placed = nullptr,
                                       timeline::Trail* trail = nullptr);

// The step whose chunks take ws.chunk_times and whose gradient traffic is ws.data_lanes; all else as priced.
[[nodiscard]] SimTime step_of_chunk_times(const training::TrainingConfig&, const training::FrameworkSpec&,
                                          const timeline::Schedule&, Workspace& ws);

// The shape a schedule sees; its chunk-to-stage map lives in `layout`.
[[nodiscard]] timeline::PipelineShape pipeline_shape(const training::TrainingConfig&,
                                                     const training::RankLayout& layout,
                                                     const timeline::Schedule&);

}  // namespace echo::simulate
