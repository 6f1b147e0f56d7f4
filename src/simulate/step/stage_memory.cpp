#include "simulate/step/stage_memory.hpp"

#include "simulate/schedule_of.hpp"
#include "simulate/step/compose_step.hpp"

namespace echo::simulate {

training::MemoryUse memory_of_stage(const training::TrainingConfig& config, const Catalog& catalog,
                                    const training::RankLayout& layout, std::int32_t stage) {
  const timeline::Schedule schedule = schedule_of(config, catalog);
  return training::estimate_memory(config, catalog.model(config.model), catalog.framework(config), layout,
                                   catalog.gpu(config), stage,
                                   schedule.in_flight(pipeline_shape(config, layout, schedule), stage));
}

std::vector<training::MemoryUse> memory_of_stages(const training::TrainingConfig& config,
                                                  const Catalog& catalog,
                                                  const training::RankLayout& layout) {
  std::vector<training::MemoryUse> out;
  for (std::int32_t stage = 0; stage < config.degrees.pipeline; ++stage)
    out.push_back(memory_of_stage(config, catalog, layout, stage));
  return out;
}

}  // namespace echo::simulate
