// echo-sweep's own trace format, JSON Lines, defined in src/trace_io/README.md.
#pragma once

#include <string>

#include "trace_io/format.hpp"

namespace echo::trace_io {

[[nodiscard]] trace::Trace read_echo_lines(const Source&);
// A path that ends in .gz is compressed.
void write_echo_lines(const trace::Trace&, const std::string& path);
void write_echo_ranks(const trace::Trace& tables, const NextRank&, const std::string& path);

}  // namespace echo::trace_io
