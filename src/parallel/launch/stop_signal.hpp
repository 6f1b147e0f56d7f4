// USR1 and TERM ask for an early stop: current ranges are finished, no more are handed out, the exit code
// is 75. A second signal within five seconds stops immediately, between two points.
#pragma once

#include <cstdint>

namespace echo::parallel {

inline constexpr int exit_resumable = 75;  // sysexits TEMPFAIL

// Installs the handlers; they set flags, and note a TERM in the claim page. Call it before MPI starts, which
// takes a tenth of a second in which a signal would end the process. A file that outgrows its limit
// (SIGXFSZ) becomes an error of the write instead of a death.
void watch_stop_signals();
[[nodiscard]] bool stop_requested();      // on this worker
[[nodiscard]] bool stop_now_requested();  // immediate stop requested
void request_stop();                      // as a signal would; for tests

// While one lives, a request for a stop ends the process at once, with exit_resumable and `last_words` on
// stderr: for work that takes long and has written nothing. One that came before ends it, too.
class StopAtOnce {
 public:
  explicit StopAtOnce(const char* last_words);  // outlives this object
  StopAtOnce(const StopAtOnce&) = delete;
  StopAtOnce& operator=(const StopAtOnce&) = delete;
  ~StopAtOnce();
};

// Whether a request at `now` is a second one. Steady nanoseconds; `last` 0 = there was none.
[[nodiscard]] constexpr bool is_hurry(std::int64_t last, std::int64_t now) {
  return last != 0 && now - last <= 5'000'000'000;
}

}  // namespace echo::parallel
