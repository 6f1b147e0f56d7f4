// Writes a machine given by its dimensions as a file of a cluster.
#pragma once

#include <string>

#include "machine_files/astra_machine.hpp"

namespace echo::machine_files {

struct ClusterText {
  std::string name, gpu, network;  // network: preset of collective constants, which textbook ones do not read
  std::string source;              // of the machine
};

// The text of clusters/NAME.toml, which reads as this machine; its notes are comments. The first dimension is
// the scale-up network.
[[nodiscard]] std::string cluster_text(const AstraMachine&, const ClusterText&);

}  // namespace echo::machine_files
