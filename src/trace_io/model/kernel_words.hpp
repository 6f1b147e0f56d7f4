// A kernel's key as a JSON object of its fields (ops/kernel_fields.hpp), without those at their default.
#pragma once

#include <string>
#include <string_view>

#include "ops/kernel.hpp"
#include "trace_io/io/json_pull.hpp"

namespace echo::trace_io {

// Faults where a field is not known, or its value is none of its words or out of range.
[[nodiscard]] ops::KernelKey read_kernel(JsonPull&);
void append_kernel(std::string& out, const ops::KernelKey&);

// The text as JSON, quotes included.
void append_quoted(std::string& out, std::string_view text);

}  // namespace echo::trace_io
