// Reads the keys `dimensions` and `[collectives]` of a cluster: a machine given by its dimensions.
#pragma once

#include "config/catalog/preset_files.hpp"

namespace echo::config {

// Contract: the cluster's GPUs, nodes and scale-up domain are read. Without the keys the cluster stays as it
// is. Dimensions must end where the scale-up domain does, and hold the cluster's nodes; nodes = 0 become
// those that they hold.
void read_dimension_keys(TableReader&, ClusterFile&);

}  // namespace echo::config
