// What to report of an exception that no code expected: the machine refused something, or the program has a
// bug.
#pragma once

#include <exception>

#include "base/error.hpp"

namespace echo {

// Memory or a thread that cannot be had (a limit of the shell or of the batch job): exit code 5. Everything
// else is a bug: exit code 1.
[[nodiscard]] UserError unforeseen(const std::exception&);

}  // namespace echo
