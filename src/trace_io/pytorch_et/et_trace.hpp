// Reads execution traces of PyTorch, one file per rank, as one trace: with the times of the profiles beside
// them, or only with shapes.
#pragma once

#include <string>
#include <string_view>

#include "trace_io/format.hpp"

namespace echo::trace_io {

[[nodiscard]] bool is_et_file(const std::string& path, std::string_view head);

// An op is a kernel where none of those it calls is; products and attention are, whatever they call.
[[nodiscard]] trace::Trace read_et(const Source&);

}  // namespace echo::trace_io
