// Converts between a table of ASTRA-sim's text and the ops of one step.
#pragma once

#include "trace/trace.hpp"
#include "trace_io/astra/astra_table.hpp"

namespace echo::trace_io {

// Rank 0, which stands for all `ranks`, does what the converter's files make ASTRA-sim do in one pass; nodes
// are named as there. Parts of type NONE get no communication: what would wait for it waits for their
// compute. HYBRID_TRANSFORMER has two groups, of the ranks that share layers and of those that have
// the same; throws UserError, 2, where the former does not divide `ranks`.
[[nodiscard]] trace::Trace step_of(const AstraTable&, std::int32_t ranks);

// The table of a step that step_of() made, with the times and sizes that its nodes have now.
[[nodiscard]] AstraTable table_of_its_step(const trace::Trace&);

// The table of any other step, as far as the text can say it: collectives alone (MICRO), or data parallelism
// (DATA), a layer for each reduction of gradients; the forward pass is the first layer's, what comes after
// the last reduction is its update. Throws UserError, 2, with the reason, of the rest.
[[nodiscard]] AstraTable table_of_step(const trace::Trace&);

}  // namespace echo::trace_io
