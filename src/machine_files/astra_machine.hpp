// Reads a machine from ASTRA-sim's files: network.yml of its analytical back ends, the system file, and that
// of its remote memory.
#pragma once

#include <string>
#include <vector>

#include "base/problems.hpp"
#include "machine/given_machine.hpp"
#include "machine/memory_tier.hpp"

namespace echo::machine_files {

inline constexpr double astra_gigabyte = 1 << 30;  // of a link's GB/s; of local-mem-bw it is 1e9

struct AstraMachine {
  machine::GivenMachine machine;
  machine::TierSpec remote;        // unknown: no expansion of the memory
  std::vector<std::string> notes;  // what the files say and the machine does not hold, for people
};

// network.yml: lists `topology` (Ring, Switch, FullyConnected; Mesh, an open ring; Torus, a ring; Mesh2D and
// Torus2D, two of the square root of npus_count), `npus_count`, `bandwidth` in GB/s and `latency` in ns of
// a link, from the GPU outwards. `file` stands in messages. Every mistake is a problem with its place.
[[nodiscard]] AstraMachine read_astra_network(const std::string& text, const std::string& file, Problems&);

// Adds what the system file (JSON) says to a machine whose network was read.
void read_astra_system(const std::string& text, const std::string& file, AstraMachine&, Problems&);

// Adds what the file of the remote memory (JSON) says: memory-type, remote-mem-latency in ns and
// remote-mem-bw in GB/s of 1e9.
void read_astra_memory(const std::string& text, const std::string& file, AstraMachine&, Problems&);

}  // namespace echo::machine_files
