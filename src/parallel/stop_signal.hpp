// USR1 and TERM ask for an early stop: points in hand are finished, no more are handed out, the exit code
// is 75.
#pragma once

namespace echo::parallel {

inline constexpr int exit_resumable = 75;  // sysexits TEMPFAIL

void watch_stop_signals();            // installs the handlers; they only set a flag
[[nodiscard]] bool stop_requested();  // on this worker
void request_stop();                  // as a signal would; for time budgets and tests

}  // namespace echo::parallel
