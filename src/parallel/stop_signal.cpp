#include "parallel/stop_signal.hpp"

#include <csignal>

namespace echo::parallel {
namespace {

// The one piece of process-wide state: a signal handler can reach nothing else.
volatile std::sig_atomic_t stop_flag = 0;

extern "C" void raise_stop_flag(int) { stop_flag = 1; }

}  // namespace

void watch_stop_signals() {
  struct sigaction action {};
  action.sa_handler = raise_stop_flag;
  action.sa_flags = SA_RESTART;  // a write to the journal goes on
  sigemptyset(&action.sa_mask);
  sigaction(SIGUSR1, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool stop_requested() { return stop_flag != 0; }

void request_stop() { stop_flag = 1; }

}  // namespace echo::parallel
