// Answers of the packet simulator that several runs share.
#pragma once

#include <functional>

#include "base/digest.hpp"
#include "base/units.hpp"

namespace echo::congestion {

// Time of flows of one size, as PacketLinks::seconds() states it, and the latency of the longest path.
struct PacketAnswer {
  double seconds = 0.0;
  SimTime latency{};
  friend bool operator==(const PacketAnswer&, const PacketAnswer&) = default;
};

class PacketAnswers {
 public:
  virtual ~PacketAnswers() = default;
  // The answer to the question with this hash: a known one, or else what `work_out` returns. Contract: equal
  // hashes are of questions with equal answers. An answer that cannot be kept is given all the same.
  virtual PacketAnswer answer(const Hash128& question, const std::function<PacketAnswer()>& work_out) = 0;
};

}  // namespace echo::congestion
