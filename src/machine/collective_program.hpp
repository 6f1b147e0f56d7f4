// A collective written down message by message: what each rank sends and receives, and what waits for what.
// Read from MSCCL's XML or from Chakra files of an algorithm.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/csr.hpp"
#include "base/units.hpp"
#include "machine/given_machine_words.hpp"

namespace echo::machine {

// send, receive: of `bytes` to or from `peer`, matched by tag and then by order. compute: takes `duration`.
enum class ProgramStepKind : std::int8_t { send, receive, compute };
struct ProgramStep {
  ProgramStepKind kind = ProgramStepKind::compute;
  bool reduces = false;    // a receive that adds to what is there
  std::int32_t peer = -1;  // rank of the group
  std::int32_t tag = 0;
  std::int64_t bytes = 0;
  SimTime duration{};
  friend bool operator==(const ProgramStep&, const ProgramStep&) = default;
};

struct CollectiveProgram {
  std::string name;  // of its file
  ChosenCollective collective{};
  std::int32_t ranks = 0;
  std::int64_t bytes = 0;  // of the call that the steps' bytes belong to; other calls are in proportion. 0:
                           // sizes stay as they are, whatever the call
  std::vector<std::int32_t> rank_begin;  // [ranks + 1] steps of a rank: [rank_begin[r], rank_begin[r + 1])
  std::vector<ProgramStep> steps;
  Csr<std::int32_t> needs;  // [steps] steps of the same rank that must end before
  friend bool operator==(const CollectiveProgram&, const CollectiveProgram&) = default;
};

}  // namespace echo::machine
