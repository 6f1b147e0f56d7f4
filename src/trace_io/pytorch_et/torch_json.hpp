// Readers of values in PyTorch's JSON, whose types vary: values of unexpected type are skipped.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trace_io/io/json_pull.hpp"

namespace echo::trace_io {

inline constexpr std::size_t longest_torch_value = 4096, most_torch_operands = 64;

[[nodiscard]] std::int64_t integer_in(std::string_view text);  // that it begins with; -1: none
// Numbers stand in quotes here and there; what is neither is -1.
[[nodiscard]] std::int64_t integer_of(JsonPull&);
// [[2, 3], [], [[4], [5]]]: an operand each; a list of lists is one of no extents. The first few operands.
void add_extents(JsonPull&, std::vector<std::vector<std::int64_t>>& out);
// A list of anything, as text.
void add_texts(JsonPull&, std::vector<std::string>& out);

}  // namespace echo::trace_io
