// What a cluster's file says about the fabric between its nodes.
#pragma once

#include "config/preset_files.hpp"

namespace echo::config {

// Topology, levels, routing and latency: fills the cluster, and notes the file that a given fabric stands in.
void read_fabric_keys(TableReader&, ClusterFile&);

// Reads the file of a given fabric and rates it. Paths are relative to the cluster's file; `text` receives what
// was read.
void read_given_fabric(ClusterFile&, std::string& text, Problems&);

}  // namespace echo::config
