// What a TOML document may hold, whatever it says: bounds that no document meant for this program reaches.
// They keep the parser from overflowing its stack, messages short, and texts fit for files and terminals.
#pragma once

#include <toml++/impl/forward_declarations.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "base/problems.hpp"

namespace echo::config {

inline constexpr std::size_t most_document_bytes = std::size_t{16} << 20;
inline constexpr std::size_t most_key_parts = 16;     // of a.b.c; each is a table within a table
inline constexpr std::size_t most_text_bytes = 4096;  // of a string or a key

inline constexpr std::size_t most_entries = 1000;  // of a list of tables, or of [derive]

// Whether `text` may be parsed: neither it nor a key of it is too long. Else a problem with its place.
[[nodiscard]] bool may_be_parsed(std::string_view text, const std::string& file, Problems&);

// Whether every text may be read; too long ones are problems, as are control characters other than line ends
// and tabs, with which it is true nevertheless.
[[nodiscard]] bool may_be_read(const toml::table&, Problems&);

}  // namespace echo::config
