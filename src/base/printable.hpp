// Text from files and command lines, made fit for a terminal: no byte of it moves the cursor, changes colours
// or sets titles.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace echo {

// Line ends and tabs stay; other control characters (C0, DEL, C1), characters that reverse the direction of
// writing, and bytes that are not UTF-8 are written as \x1b, \u202e and the like.
[[nodiscard]] std::string printable(std::string_view text);

// Bytes of the UTF-8 character that `text`, which is not empty, begins with; 0 where it begins with none.
[[nodiscard]] std::size_t utf8_length(std::string_view text);

// Its code point.
[[nodiscard]] std::uint32_t utf8_code(std::string_view character);

// Whether a terminal would obey the character that these bytes encode instead of showing it.
[[nodiscard]] bool is_control_character(std::string_view character);

}  // namespace echo
