// Reads the fabric between the nodes from a cluster file.
#pragma once

#include "config/catalog/catalog_files.hpp"
#include "config/catalog/preset_files.hpp"

namespace echo::config {

// Topology, levels, routing and latency: fills the cluster, and records the file of a given fabric.
void read_fabric_keys(TableReader&, ClusterFile&);

// Reads the file of a given fabric and rates it. It is next to the cluster's file, or in fabrics/ of a
// folder.
void read_given_fabric(ClusterFile&, const std::vector<std::string>& folders, std::vector<InputFile>& files,
                       Problems&);

}  // namespace echo::config
