// What a trace leaves unsaid that a sweep of it would need, and what follows from that.
#pragma once

#include <string>
#include <vector>

#include "trace/trace.hpp"

namespace echo::cli {

// One sentence for each fact that is missing from the trace or from a part of it; empty: nothing is.
[[nodiscard]] std::vector<std::string> not_recorded(const trace::Trace&);

}  // namespace echo::cli
