// Fatal signals (SEGV, BUS, FPE, ILL, ABRT) store their number before they kill the process.
#pragma once

#include <cstdint>

namespace echo::parallel {

// Installs the handlers, on a stack of their own: a stack overflow is seen too. They store the signal's
// number and hand on to whatever handler stood before (Open MPI's prints a backtrace). Call after MPI is up.
void watch_crashes();

// Destination of the number; null = none.
void note_crashes_in(volatile std::int32_t* place);

// Stores SIGTERM there, unless a more severe one is already stored. May be called in a signal handler.
void note_termination();

}  // namespace echo::parallel
