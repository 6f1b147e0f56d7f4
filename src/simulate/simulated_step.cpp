#include "simulate/simulated_step.hpp"

#include "simulate/schedule_of.hpp"

namespace echo::simulate {

timeline::PipelineShape pipeline_shape(const training::TrainingConfig& config,
                                       const training::RankLayout& layout,
                                       const timeline::Schedule& schedule) {
  return {.stages = config.degrees.pipeline,
          .chunks = static_cast<std::int32_t>(layout.stage_of_chunk.size()),
          .microbatches = training::microbatches_of(config),
          .stage_of_chunk = layout.stage_of_chunk,
          .microbatch_group = config.recipe.microbatch_group,
          .pairs = config.recipe.overlap_ep,
          .copies = layout.copies,
          .given = schedule.given,
          .deferred = schedule.defers ? training::deferred_microbatches(config) : 0};
}

timeline::PipelineShape StepInput::shape() const { return pipeline_shape(config, layout, schedule); }

StepInput input_of(const training::TrainingConfig& config, const Catalog& catalog,
                   const SimulatedStep& step) {
  return {.config = config,
          .model = catalog.model(config.model),
          .framework = catalog.framework(config),
          .cluster = catalog.cluster(config.cluster),
          .layout = step.layout,
          .work = step.work,
          .prices = step.prices,
          .schedule = schedule_of(config, catalog),
          .body = step.body};
}

}  // namespace echo::simulate
