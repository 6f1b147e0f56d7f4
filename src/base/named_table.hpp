// Look-up by name in a table of plug-ins or presets (anything with a `name` member).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace echo {

// Index of the row called `name`, or -1. Tables are short; order is the table's own.
template <class Table>
[[nodiscard]] std::int32_t find_named(const Table& table, std::string_view name) {
  std::int32_t i = 0;
  for (const auto& row : table) {
    if constexpr (requires { row->name; }) {
      if (name == row->name) return i;
    } else {
      if (name == row.name) return i;
    }
    ++i;
  }
  return -1;
}

}  // namespace echo
