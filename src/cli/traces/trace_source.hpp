// Finds a trace from any source: a file of any known format, a row of a result file, or a point of a sweep.
#pragma once

#include <string>
#include <vector>

#include "cli/options.hpp"
#include "trace/trace.hpp"
#include "trace_io/format.hpp"

namespace echo::cli {

struct TraceSource {
  std::string file, format, beside, step;  // for a file; step: a number, or empty
  std::string id;                          // for a row
  std::string point;                       // for a sweep: the number of the point, or empty
  std::string ranks;                       // "0,8", "all"; empty: the ranks of the trace
  bool every_rank = false;                 // for rows and points, if `ranks` is empty
  std::vector<std::string> sets, preset_paths;
};

// The argument FILE and the options that select a trace in it.
void declare_source(Options&, TraceSource&);

// UserError 2 if there is no such trace, or no such rank in it.
[[nodiscard]] trace::Trace find_trace(const TraceSource&);

// Whether the source is a row or a point, whose step the generator makes.
[[nodiscard]] bool is_generated(const TraceSource&);
// The trace of a row or a point in the memory of one rank: `use` gets the trace without its ranks, and the
// ranks one by one. Each rank is made twice, first for what the tables hold.
void stream_generated(const TraceSource&,
                      const std::function<void(const trace::Trace& tables, const trace_io::NextRank&)>& use);

}  // namespace echo::cli
