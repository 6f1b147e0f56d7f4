// Problems as a compiler shows them: place, what, the line, a caret under the token, the remedy.
#pragma once

#include <string>

#include "base/error.hpp"

namespace echo::cli {

// All problems of the error, then a line with their number and the exit code. Reads the lines to show from
// the named files; for a file that cannot be read, no line is shown.
[[nodiscard]] std::string problem_text(const UserError&, bool colour);
[[nodiscard]] std::string problem_text(const Problem&, bool colour);
[[nodiscard]] std::string problem_json(const UserError&);

}  // namespace echo::cli
