// Properties of the output stream: terminal, width, colour.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace echo::cli {

[[nodiscard]] bool is_terminal(std::FILE*);
// Characters of a line: COLUMNS of the environment, else what the terminal says; 0 where it is none, so that
// pipes and files have whole lines.
[[nodiscard]] std::int64_t line_width(std::FILE*);
// Colour only on a terminal, and never with --no-color or NO_COLOR (no-color.org) in the environment.
[[nodiscard]] bool wants_colour(std::FILE*, bool no_colour_flag);
[[nodiscard]] std::string bold(std::string_view text, bool colour);
[[nodiscard]] std::string red(std::string_view text, bool colour);

}  // namespace echo::cli
