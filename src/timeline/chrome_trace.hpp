// A composed pipeline as Chrome trace events (chrome://tracing, ui.perfetto.dev).
#pragma once

#include <span>
#include <string>

#include "timeline/pipeline.hpp"

namespace echo::timeline {

// JSON object format: one process per stage, its compute lane as a thread, one complete event per task.
[[nodiscard]] std::string chrome_trace(std::span<const PlacedTask>);

}  // namespace echo::timeline
