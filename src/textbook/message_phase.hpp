// Collectives within one dimension message by message, as ASTRA-sim's system layer sends them: each rank
// takes time before its first message and behind each, and reductions read and write memory.
#pragma once

#include <optional>

#include "machine/given_machine.hpp"
#include "textbook/algorithm.hpp"
#include "textbook/chunk_pipeline.hpp"
#include "textbook/dimension.hpp"

namespace echo::textbook {

// What a rank takes beside the links.
struct MessageCosts {
  SimTime endpoint_delay{};
  BytesPerSecond reduction_memory{};  // 0 = reductions take no time
  machine::LinkSharing sharing = machine::LinkSharing::unaware;
  std::int64_t beside = 1;  // chunks that send at the same time; where messages share links they take turns
};

// Nothing for collectives that a machine chooses no algorithm for.
[[nodiscard]] std::optional<machine::ChosenCollective> chosen_collective(ops::CollectiveKind);

// Whether `algorithm` serves the call on `ranks` >= 2. Ring and direct serve all-reduces, all-gathers,
// reduce-scatters and all-to-alls; halving-doubling not the last, and powers of two only; the double binary
// tree all-reduces of powers of two.
[[nodiscard]] bool serves(machine::DimensionAlgorithm, ops::CollectiveKind, std::int32_t ranks);

// Time of the call by the algorithm, or by the fastest one that serves it where the algorithm does not.
// Dimensions of two GPUs or more; Dimension::latency is that of a way between neighbours, through the switch
// where there is one. Messages are not cut to whole nanoseconds.
[[nodiscard]] PhaseCost message_phase(const Call&, machine::AlgorithmChoice, const Dimension&,
                                      const MessageCosts&);

}  // namespace echo::textbook
