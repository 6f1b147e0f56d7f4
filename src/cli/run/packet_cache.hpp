// Where a sweep whose collectives are simulated packet by packet keeps the answers.
#pragma once

#include <memory>

#include "cli/run/sweep_inputs.hpp"
#include "parallel/launch/launch.hpp"
#include "simulate/prices/packet_memory.hpp"

namespace echo::cli {

// The folder that [simulate] packet_cache names, or packet-answers beside the result file; nothing is shared
// where no packets are simulated, or with packet_cache = "off".
class PacketCache {
 public:
  PacketCache(const parallel::LaunchRequest&, const WorkerInputs&);
  // Clusters by hashes of the program and the whole preset. Contract: the cache outlives its use.
  [[nodiscard]] const simulate::PacketMemory& memory() const { return memory_; }

 private:
  std::unique_ptr<simulate::PacketAnswers> answers_;
  simulate::PacketMemory memory_;
};

}  // namespace echo::cli
