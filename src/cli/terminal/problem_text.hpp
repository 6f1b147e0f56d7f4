// Problems as a compiler shows them: place, what, the line, a caret under the token, the remedy.
#pragma once

#include <string>

#include "base/error.hpp"

namespace echo::cli {

// All problems of the error, then a line that counts them and names the exit code. Reads the files named for
// their lines; a file that cannot be read just has no line shown.
[[nodiscard]] std::string problem_text(const UserError&, bool colour);
[[nodiscard]] std::string problem_text(const Problem&, bool colour);
[[nodiscard]] std::string problem_json(const UserError&);

}  // namespace echo::cli
