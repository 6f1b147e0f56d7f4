// The summary of a trace as text and as JSON.
#pragma once

#include <string>

#include "cli/traces/trace_summary.hpp"

namespace echo::cli {

[[nodiscard]] std::string summary_text(const trace::Trace&, const TraceSummary&);
[[nodiscard]] std::string summary_json(const trace::Trace&, const TraceSummary&);

}  // namespace echo::cli
