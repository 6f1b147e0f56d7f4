// What a cluster's file says about the fabric between its nodes.
#pragma once

#include "config/catalog/catalog_files.hpp"
#include "config/catalog/preset_files.hpp"

namespace echo::config {

// Topology, levels, routing and latency: fills the cluster, and notes the file that a given fabric stands in.
void read_fabric_keys(TableReader&, ClusterFile&);

// Reads the file of a given fabric and rates it. It stands beside the cluster's file, or in fabrics/ of a
// folder.
void read_given_fabric(ClusterFile&, const std::vector<std::string>& folders, std::vector<InputFile>& files,
                       Problems&);

}  // namespace echo::config
