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

// The least memory of a GPU with which the config is not out of memory: a twelfth less than the estimate,
// which counts buffers and working sets at their upper bounds. Among 1852 published runs, which all did fit,
// the estimate of one is above the device's memory, by 9 % (echo-sweep validate). A sweep excludes the
// doubtful ones with [[limit]] metric = "mem_peak", max = "gpu.memory".
[[nodiscard]] Bytes surely_needed(const training::MemoryUse&);

}  // namespace echo::simulate
