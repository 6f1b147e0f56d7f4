// The white-box contention model as a candidate.
#pragma once

#include <vector>

#include "learn/candidates/candidates.hpp"
#include "learn/candidates/metrics_pair.hpp"

namespace echo::learn {

// On prices, as a sweep uses it: at its default constants, or at those that fit the rows.
[[nodiscard]] Candidate white_box_of_prices();
// On measured metrics; communication that the rows do not name is assumed, and that is the setting.
[[nodiscard]] Candidate white_box_of_metrics();

// A ring of 16 of an A100's 108 SMs that draws a tenth of its HBM bandwidth.
inline constexpr AssumedCommunication middle_communication{.sm_share = 0.15, .memory_share = 0.10};
// The rate that the model leaves one side, > 0.
[[nodiscard]] double kept_beside(const Pair&, const slowdown::Contention&, Side);

// The constants of a grid that make the mean relative error of these rows' overlapped times least, of kernels
// and, where they were measured, of collectives (whatever the examples' side); an error of a time predicted
// too long counts `harshness` times; ties go to the defaults.
[[nodiscard]] slowdown::Contention fitted_constants(const Examples&, Rows, double harshness);

}  // namespace echo::learn
