// The schedule of a config: a built-in one, or one given by the sweep in a file.
#pragma once

#include "base/at.hpp"
#include "simulate/catalog.hpp"
#include "timeline/schedule.hpp"

namespace echo::simulate {

// Refers to the catalog.
[[nodiscard]] inline timeline::Schedule schedule_of(const training::TrainingConfig& config,
                                                    const Catalog& catalog) {
  const std::size_t id = at(config.schedule.index());
  const auto own = timeline::schedule_table();
  return id < own.size() ? *own[id] : timeline::schedule_of(catalog.orders.at(id - own.size()));
}

}  // namespace echo::simulate
