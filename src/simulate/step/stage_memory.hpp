// Device memory of every stage of a config, from which the report takes the fullest.
#pragma once

#include <cstdint>
#include <vector>

#include "simulate/catalog.hpp"
#include "training/config.hpp"
#include "training/memory/memory.hpp"

namespace echo::simulate {

// `layout`: with chunks where the config's schedule places them, as simulate() leaves it in the workspace.
[[nodiscard]] training::MemoryUse memory_of_stage(const training::TrainingConfig&, const Catalog&,
                                                  const training::RankLayout& layout, std::int32_t stage);
[[nodiscard]] std::vector<training::MemoryUse> memory_of_stages(const training::TrainingConfig&,
                                                                const Catalog&,
                                                                const training::RankLayout& layout);

}  // namespace echo::simulate
