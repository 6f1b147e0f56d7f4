// Runs something in a process of its own whose files cannot grow past a size, as on a full disk, and which
// ends as a program does: with what libraries do at their end.
#pragma once

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>

#include "base/error.hpp"

namespace echo::testing {

// "exit 0", "exit 5: <what was thrown>" or "signal 11".
inline std::string outcome_with_files_of(std::uint64_t most_bytes, const std::function<void()>& action) {
  int ends[2];
  if (::pipe(ends) != 0) return "no pipe";
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit limit{most_bytes, most_bytes};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    std::signal(SIGXFSZ, SIG_IGN);
    int code = 0;
    try {
      action();
    } catch (const UserError& error) {
      code = error.exit_code();
      [[maybe_unused]] const auto written = ::write(ends[1], error.what(), std::string(error.what()).size());
    }
    std::exit(code);
  }
  ::close(ends[1]);
  std::string told;
  char piece[512];
  for (ssize_t count = 0; (count = ::read(ends[0], piece, sizeof piece)) > 0;)
    told.append(piece, static_cast<std::size_t>(count));
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) return "signal " + std::to_string(WTERMSIG(status));
  return "exit " + std::to_string(WEXITSTATUS(status)) + (told.empty() ? "" : ": " + told);
}

}  // namespace echo::testing
