// The schedule of a config: a built-in one, or one given by the sweep in a file.
#pragma once

#include "base/at.hpp"
#include "simulate/catalog.hpp"
#include "timeline/schedule.hpp"
#include "workload/workload.hpp"

namespace echo::simulate {

// Refers to the catalog.
[[nodiscard]] inline timeline::Schedule schedule_of(const training::TrainingConfig& config,
                                                    const Catalog& catalog) {
  const std::size_t id = at(config.schedule.index());
  const auto own = timeline::schedule_table();
  if (id >= own.size()) return timeline::schedule_of(catalog.orders.at(id - own.size()));
  return own[id]->defers && training::deferred_microbatches(config) > 0 ? timeline::deferring(*own[id])
                                                                        : *own[id];
}

// Which of its backwards are split.
[[nodiscard]] inline workload::Backward backward_of(const timeline::Schedule& schedule) {
  if (schedule.mixes_backwards) return workload::Backward::both;
  return schedule.splits_backward ? workload::Backward::split : workload::Backward::whole;
}

}  // namespace echo::simulate
