#include "profilers/program.hpp"

#include <fmt/core.h>

#include <csignal>
#include <cstdio>
#include <exception>

#include "base/error.hpp"
#include "base/printable.hpp"

namespace echo::profilers {

namespace {

volatile std::sig_atomic_t stop_asked = 0;

void ask_to_stop(int signal) {
  stop_asked = 1;
  std::signal(signal, SIG_DFL);
}

void print_problems(const UserError& error) {
  for (const Problem& problem : error.problems()) {
    const std::string place =
        problem.place.file.empty()
            ? ""
            : fmt::format("{}:{}:{}: ", problem.place.file, problem.place.line, problem.place.column);
    fmt::print(stderr, "{}error: {}\n  {}\n", printable(place), printable(problem.what),
               printable(problem.remedy));
  }
}

}  // namespace

int run_program(int argc, char** argv, int (*run)(const std::vector<std::string>&)) {
  try {
    return run({argv + 1, argv + argc});
  } catch (const UserError& error) {
    print_problems(error);
    return error.exit_code();
  } catch (const std::exception& error) {
    fmt::print(stderr, "internal error: {}\n", printable(error.what()));
    return 1;
  }
}

void catch_stop_signals() {
  stop_asked = 0;
  std::signal(SIGINT, ask_to_stop);
  std::signal(SIGTERM, ask_to_stop);
}

bool is_asked_to_stop() { return stop_asked != 0; }

}  // namespace echo::profilers
