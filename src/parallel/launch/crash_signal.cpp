#include "parallel/launch/crash_signal.hpp"

#include <signal.h>

#include <array>
#include <cstddef>

namespace echo::parallel {
namespace {

constexpr std::array<int, 5> fatal{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
constexpr std::size_t stack_bytes = std::size_t{64} << 10;  // Open MPI's backtrace runs on it too

// Process-wide, like the signals themselves.
volatile std::int32_t* volatile crash_place = nullptr;
std::array<struct sigaction, fatal.size()> earlier{};
alignas(16) std::array<char, stack_bytes> crash_stack{};

// The faulting instruction runs again, or the signal is raised again, on return: into the earlier handler.
extern "C" void note_crash(int signal) {
  if (crash_place != nullptr) *crash_place = signal;
  for (std::size_t i = 0; i < fatal.size(); ++i)
    if (fatal[i] == signal) sigaction(signal, &earlier[i], nullptr);
  raise(signal);
}

}  // namespace

void watch_crashes() {
  stack_t stack{};
  stack.ss_sp = crash_stack.data();
  stack.ss_size = crash_stack.size();
  sigaltstack(&stack, nullptr);
  struct sigaction action {};
  action.sa_handler = note_crash;
  action.sa_flags = SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < fatal.size(); ++i) {
    struct sigaction before {};
    sigaction(fatal[i], &action, &before);
    if (before.sa_handler != note_crash) earlier[i] = before;
  }
}

void note_crashes_in(volatile std::int32_t* place) { crash_place = place; }

void note_termination() {
  if (crash_place != nullptr && *crash_place == 0) *crash_place = SIGTERM;
}

}  // namespace echo::parallel
