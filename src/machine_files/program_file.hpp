// Reads a collective that is written down message by message: MSCCL's XML, or Chakra files of an algorithm as
// ASTRA-sim takes them.
#pragma once

#include <optional>
#include <string>

#include "base/problems.hpp"
#include "machine/collective_program.hpp"
#include "trace/trace.hpp"

namespace echo::machine_files {

// "all_reduce", also allreduce and all-reduce; nothing for any other.
[[nodiscard]] std::optional<machine::ChosenCollective> collective_of(std::string_view word);

// One <algo> of MSCCL: GPUs, their thread blocks, and steps of types s, r, rcs, rrc, rrs, rrcs, re, cpy and
// nop. Steps of a thread block follow each other; a step waits for another block's by depid and deps. A chunk
// is 1/nchunksperloop of the call, so that the program's bytes are nchunksperloop. `file` stands in messages.
[[nodiscard]] machine::CollectiveProgram read_msccl(const std::string& text, const std::string& file,
                                                    Problems&);

// Sends, receives and computes of every rank; nodes wait for what they need and follow. Sizes stay as they
// are. `file` stands in messages.
[[nodiscard]] machine::CollectiveProgram program_of(const trace::Trace&, machine::ChosenCollective,
                                                    const std::string& file, Problems&);

// By the name of the file: .xml, else Chakra's NAME.0.et, NAME.1.et, ... , whose collective is not written
// there: `said`, or all_reduce. Every mistake is a problem; so is a step that can never end.
[[nodiscard]] machine::CollectiveProgram read_program(const std::string& path,
                                                      std::optional<machine::ChosenCollective> said,
                                                      Problems&);

}  // namespace echo::machine_files
