// Answers of the packet simulator that are shared beyond one worker.
#pragma once

#include <vector>

#include "base/digest.hpp"
#include "congestion/packet_answers.hpp"

namespace echo::simulate {

using congestion::PacketAnswer;
using congestion::PacketAnswers;

// `clusters`: hashes of all that the presets say, by which answers are known, and of the program that works
// them out.
struct PacketMemory {
  PacketAnswers* answers = nullptr;  // null: none are shared
  std::vector<Hash128> clusters;     // [ClusterId]
};

}  // namespace echo::simulate
