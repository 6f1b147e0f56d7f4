// Starts a child process, reads its output, and ends it after a time limit.
#pragma once

#include <string>
#include <vector>

namespace echo::profilers {

struct ChildOutput {
  std::string text;   // what it printed
  std::string ended;  // empty = status 0; else how it ended, as text
};

// Runs the program with these arguments (its own name left out) for `seconds` at most; its errors go where
// ours do. UserError, 1, where it cannot be started.
[[nodiscard]] ChildOutput run_child(const std::string& program, const std::vector<std::string>& arguments,
                                    double seconds);

}  // namespace echo::profilers
