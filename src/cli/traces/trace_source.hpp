// A trace wherever a user has it: a file of any known format, a row of a result file, a point of a sweep.
#pragma once

#include <string>
#include <vector>

#include "cli/options.hpp"
#include "trace/trace.hpp"

namespace echo::cli {

struct TraceSource {
  std::string file, format, beside, step;  // of a file; step: a number, or empty
  std::string id;                          // of a row
  std::string point;                       // of a sweep: its number, or empty
  std::string ranks;                       // "0,8", "all"; empty: as the trace has them
  bool every_rank = false;                 // of rows and points, where `ranks` is empty
  std::vector<std::string> sets, preset_paths;
};

// The argument FILE and the options that say what of it is meant.
void declare_source(Options&, TraceSource&);

// UserError, 2, where there is no such trace, or no such rank in it.
[[nodiscard]] trace::Trace find_trace(const TraceSource&);

}  // namespace echo::cli
