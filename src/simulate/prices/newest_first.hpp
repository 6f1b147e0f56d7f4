// Collectives of a step that overtake each other, where the machine's queues serve the newest first.
#pragma once

#include <cstdint>

#include "machine/cluster.hpp"
#include "simulate/prices/prices.hpp"
#include "training/config.hpp"
#include "workload/workload.hpp"

namespace echo::simulate {

// Whether they do: textbook collectives dimension by dimension, where the cluster or generic_queue says LIFO.
[[nodiscard]] bool serves_newest_first(const training::TrainingConfig&, const machine::ClusterSpec&);

// Puts the ops of the priced blocks from `first` on into the order of service
// (timeline/block/queue_order.hpp).
void serve_newest_first(const Prices&, std::int32_t first, workload::Workload&);

}  // namespace echo::simulate
