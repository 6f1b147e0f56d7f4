// Line and column, from 1, of a byte of a file's text.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace echo {

// The place of byte `at`, from 0, and the `length` bytes from there on; behind the end of the text, its end.
[[nodiscard]] inline Place place_in_text(std::string_view text, std::size_t at, const std::string& file,
                                         std::size_t length = 1) {
  const std::string_view before = text.substr(0, at);
  const std::size_t newline = before.rfind('\n');
  const std::size_t line_begin = newline == std::string_view::npos ? 0 : newline + 1;
  return {file, static_cast<std::int32_t>(std::ranges::count(before, '\n') + 1),
          static_cast<std::int32_t>(before.size() - line_begin + 1), static_cast<std::int32_t>(length)};
}

}  // namespace echo
