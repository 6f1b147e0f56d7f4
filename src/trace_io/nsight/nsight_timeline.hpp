// Reads SQLite exports of Nsight Systems as a trace with one rank per GPU of the report.
#pragma once

#include "trace_io/format.hpp"

namespace echo::trace_io {

[[nodiscard]] trace::Trace read_nsight(const Source&);

}  // namespace echo::trace_io
