// The schedule of a config: a built-in one, or one given by the sweep in a file.
#pragma once

#include "simulate/catalog.hpp"
#include "timeline/schedule.hpp"

namespace echo::simulate {

// Refers to the catalog.
[[nodiscard]] inline timeline::Schedule schedule_of(const training::TrainingConfig& config,
                                                    const Catalog& catalog) {
  const auto id = static_cast<std::size_t>(config.schedule.index());
  const auto own = timeline::schedule_table();
  return id < own.size() ? *own[id] : timeline::schedule_of(catalog.orders.at(id - own.size()));
}

}  // namespace echo::simulate
