// Problems as a compiler shows them: place, what, the line, a caret under the token, the remedy.
#pragma once

#include <cstdint>
#include <string>

#include "base/error.hpp"

namespace echo::cli {

// What a command would have done, had there been no error: simulate points, or something else.
enum class Purpose : std::int8_t { simulate, other };

// All problems of the error, then a line with their number and the exit code, which says that nothing was
// simulated where something would have been. Reads the lines to show from the named files; for a file that
// cannot be read, no line is shown.
[[nodiscard]] std::string problem_text(const UserError&, bool colour, Purpose = Purpose::other);
[[nodiscard]] std::string problem_text(const Problem&, bool colour);
[[nodiscard]] std::string problem_json(const UserError&);

}  // namespace echo::cli
