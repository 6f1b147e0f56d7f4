#include "parallel/launch/stop_signal.hpp"

#include <signal.h>
#include <unistd.h>
#include <ctime>

#include <atomic>
#include <cstring>

#include "parallel/launch/crash_signal.hpp"

namespace echo::parallel {
namespace {

// Process-wide state: a signal handler can reach nothing else.
volatile sig_atomic_t stop_flag = 0, hurry_flag = 0;
std::atomic<std::int64_t> last_request{0};  // steady nanoseconds
std::atomic<const char*> words_at_once{nullptr};
static_assert(std::atomic<const char*>::is_always_lock_free);
static_assert(std::atomic<std::int64_t>::is_always_lock_free);

std::int64_t steady_now() {  // clock_gettime may be called in a handler
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

void end_if_at_once() {
  const char* const words = words_at_once;
  if (words == nullptr) return;
  [[maybe_unused]] const auto written = write(STDERR_FILENO, words, std::strlen(words));
  _exit(exit_resumable);
}

extern "C" void note_stop(int signal) {
  const std::int64_t now = steady_now();
  if (is_hurry(last_request.exchange(now), now)) hurry_flag = 1;
  stop_flag = 1;
  end_if_at_once();
  if (signal == SIGTERM) note_termination();
}

}  // namespace

void watch_stop_signals() {
  struct sigaction action {};
  action.sa_handler = note_stop;
  action.sa_flags = SA_RESTART;  // a write to the journal goes on
  sigemptyset(&action.sa_mask);
  sigaction(SIGUSR1, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  signal(SIGXFSZ, SIG_IGN);
}

bool stop_requested() { return stop_flag != 0; }
bool stop_now_requested() { return hurry_flag != 0; }

void request_stop() { stop_flag = 1; }

StopAtOnce::StopAtOnce(const char* last_words) {
  words_at_once = last_words;
  if (stop_requested()) end_if_at_once();
}
StopAtOnce::~StopAtOnce() { words_at_once = nullptr; }

}  // namespace echo::parallel
