// What a learned slowdown model has to beat.
#pragma once

#include "learn/candidates/candidates.hpp"

namespace echo::learn {

[[nodiscard]] Candidate no_slowdown();
// The median slowdown of the kernel's name; none for a name that was not seen.
[[nodiscard]] Candidate median_by_kernel_name();
// What Echo's module does (NetX-lab/Echo-slowdown): XGBoost, 100 rounds, depth 12, all else at its defaults,
// on the slowdown itself, metrics and overlap ratio as features, all rows, unweighted.
[[nodiscard]] Candidate echo_settings();

}  // namespace echo::learn
