#include "profilers/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstring>

#include "base/error.hpp"

namespace echo::profilers {

namespace {

using std::chrono::steady_clock;

[[noreturn]] void cannot_start(const std::string& program, int why) {
  throw UserError("cannot start " + program + ": " + std::strerror(why), "free memory or processes", 1);
}

// Reads until the other side closes or the time is up; whether it closed.
bool read_until(int from, steady_clock::time_point deadline, std::string& out) {
  std::array<char, 4096> some{};
  while (true) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - steady_clock::now()).count();
    if (left <= 0) return false;
    pollfd ready{.fd = from, .events = POLLIN, .revents = 0};
    if (poll(&ready, 1, static_cast<int>(left)) <= 0) continue;  // time, or a signal: looked at above
    const ssize_t count = read(from, some.data(), some.size());
    if (count <= 0) return true;
    out.append(some.data(), static_cast<std::size_t>(count));
  }
}

std::string in_words(int status, bool was_ended, double seconds) {
  if (was_ended) return "ended after " + std::to_string(static_cast<int>(seconds)) + " s";
  if (WIFSIGNALED(status)) return "killed by signal " + std::to_string(WTERMSIG(status));
  if (WEXITSTATUS(status) != 0) return "exit status " + std::to_string(WEXITSTATUS(status));
  return {};
}

}  // namespace

ChildOutput run_child(const std::string& program, const std::vector<std::string>& arguments, double seconds) {
  std::vector<std::string> words{program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  int ends[2] = {};
  if (pipe2(ends, O_CLOEXEC) != 0) cannot_start(program, errno);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  pid_t child = 0;
  const int failed = posix_spawn(&child, program.c_str(), &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (failed != 0) {
    close(ends[0]);
    cannot_start(program, failed);
  }
  ChildOutput out;
  const auto limit =
      std::chrono::duration_cast<steady_clock::duration>(std::chrono::duration<double>(seconds));
  const bool was_ended = !read_until(ends[0], steady_clock::now() + limit, out.text);
  if (was_ended) kill(child, SIGKILL);
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  out.ended = in_words(status, was_ended, seconds);
  return out;
}

}  // namespace echo::profilers
