// Where a sweep whose collectives are simulated packet by packet keeps the answers.
#pragma once

#include <memory>
#include <vector>

#include "cli/run/sweep_inputs.hpp"
#include "parallel/launch/launch.hpp"
#include "simulate/prices/packet_memory.hpp"

namespace echo::cli {

// The folder that [simulate] packet_cache names, or packet-answers beside the result file; null where no
// packets are simulated, or with packet_cache = "off".
[[nodiscard]] std::unique_ptr<simulate::PacketAnswers> packet_answers(const parallel::LaunchRequest&,
                                                                      const sweep::SweepSpec&);

// [ClusterId] Hash of the program and the whole preset.
[[nodiscard]] std::vector<Hash128> packet_hashes(const parallel::LaunchRequest&, const WorkerInputs&);

}  // namespace echo::cli
