#include "base/printable.hpp"

#include <array>
#include <cstdio>

namespace echo {

std::uint32_t utf8_code(std::string_view character) {
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(character[i]));
  };
  switch (character.size()) {
    case 1:
      return byte(0);
    case 2:
      return (byte(0) & 0x1FU) << 6 | (byte(1) & 0x3FU);
    case 3:
      return (byte(0) & 0x0FU) << 12 | (byte(1) & 0x3FU) << 6 | (byte(2) & 0x3FU);
    default:
      return (byte(0) & 0x07U) << 18 | (byte(1) & 0x3FU) << 12 | (byte(2) & 0x3FU) << 6 | (byte(3) & 0x3FU);
  }
}

namespace {

std::string escaped(std::string_view character) {
  std::array<char, 16> text{};
  const std::uint32_t code = utf8_code(character);
  const char* const form = code < 0x100 ? "\\x%02x" : "\\u%04x";
  const int length = std::snprintf(text.data(), text.size(), form, static_cast<unsigned>(code));
  return {text.data(), static_cast<std::size_t>(length)};
}

}  // namespace

std::size_t utf8_length(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t length = first < 0x80   ? 1
                             : first < 0xC2 ? 0
                             : first < 0xE0 ? 2
                             : first < 0xF0 ? 3
                             : first < 0xF5 ? 4
                                            : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U) return 0;
  const std::uint32_t code = utf8_code(text.substr(0, length));
  const bool is_short = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool is_none = (code >= 0xD800 && code < 0xE000) || code > 0x10FFFF;
  return is_short || is_none ? 0 : length;
}

bool is_control_character(std::string_view character) {
  const std::uint32_t code = utf8_code(character);
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || (code >= 0x202A && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069);
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const std::string_view character = text.substr(0, length == 0 ? 1 : length);
    const bool stays =
        character == "\n" || character == "\t" || (length > 0 && !is_control_character(character));
    if (stays) {
      out += character;
    } else {
      out += escaped(character);
    }
    text.remove_prefix(character.size());
  }
  return out;
}

}  // namespace echo
