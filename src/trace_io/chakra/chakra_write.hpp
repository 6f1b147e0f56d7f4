// Writes a trace as Chakra files that ASTRA-sim can run.
#pragma once

#include <string>

#include "trace_io/format.hpp"

namespace echo::trace_io {

// NAME.<rank>.et of every rank that is traced or stood for, and comm_group.json where groups are named, into
// `folder`. A trace that was read from Chakra files comes back message by message, with what was changed
// since. Throws UserError, 2, where compute has no duration or a rank's groups are not to be found; 5, where
// a file cannot be written.
void write_chakra(const trace::Trace&, const std::string& folder);
// The same rank by rank; what cannot be written is found when its rank comes.
void write_chakra_ranks(const trace::Trace& tables, const NextRank&, const std::string& folder);

}  // namespace echo::trace_io
