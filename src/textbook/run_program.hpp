// Runs a collective that is written down message by message over the dimensions of a group.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "machine/collective_program.hpp"
#include "textbook/message_phase.hpp"

namespace echo::textbook {

// The program's time for a call of `bytes`, along the chain of steps that ends last. Dimensions from the
// inside outwards, whose sizes' product is the ranks; a rank's place in them follows from its number.
// `costs.beside` and the endpoint delay are not used. Nothing: some step waits for ever.
[[nodiscard]] std::optional<Cost> run_program(const machine::CollectiveProgram&, std::int64_t bytes,
                                              std::span<const Dimension>, const MessageCosts&);

// The first step that never ends, as text for users; empty if all do.
[[nodiscard]] std::string why_stuck(const machine::CollectiveProgram&);

}  // namespace echo::textbook
