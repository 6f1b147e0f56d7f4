// Common main() of the profilers: error handling and exit codes.
#pragma once

#include <string>
#include <vector>

namespace echo::profilers {

// Calls `run` with the arguments; prints what it throws to stderr, and returns the exit code.
[[nodiscard]] int run_program(int argc, char** argv, int (*run)(const std::vector<std::string>& arguments));

// From now on Ctrl-C, and what a batch system sends before it kills, only ask to stop; a second one kills.
void catch_stop_signals();
[[nodiscard]] bool is_asked_to_stop();

}  // namespace echo::profilers
