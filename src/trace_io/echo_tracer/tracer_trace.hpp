// Reads the files of Echo's workload tracer as a trace of one rank.
#pragma once

#include "trace_io/format.hpp"

namespace echo::trace_io {

// `path`: the graph. Times: `beside`, or where the tracer puts them (pytorch_ops_profiling beside
// pytorch_graph_profiling); none: priced by shapes. Its run (logs/PyTorch/config_...) says the GPU and how
// many.
[[nodiscard]] trace::Trace read_tracer(const Source&);

}  // namespace echo::trace_io
