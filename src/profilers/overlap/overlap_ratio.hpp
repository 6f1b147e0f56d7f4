// The overlap ratio of the slowdown's definition.
#pragma once

namespace echo::profilers {

// A share of the time *alone*, 0..1, from the share of the longer, overlapped time that is observed: what ran
// outside the overlap ran at full speed, so the rest of the work, 1 - (1 - observed) * overlapped / alone,
// was done inside it.
[[nodiscard]] double ratio_of_alone(double observed, double overlapped, double alone);

}  // namespace echo::profilers
