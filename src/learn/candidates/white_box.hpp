// The white-box contention model as a candidate.
#pragma once

#include <vector>

#include "learn/candidates/candidates.hpp"
#include "learn/candidates/metrics_pair.hpp"

namespace echo::learn {

// On prices, as in a sweep: with default constants, or with constants fitted to the rows.
[[nodiscard]] Candidate white_box_of_prices();
// On measured metrics; the setting is the assumed communication for rows without it.
[[nodiscard]] Candidate white_box_of_metrics();

// A ring of 16 of an A100's 108 SMs that draws a tenth of its HBM bandwidth.
inline constexpr AssumedCommunication middle_communication{.sm_share = 0.15, .memory_share = 0.10};
// The rate kept by one side according to the model, > 0.
[[nodiscard]] double kept_beside(const Pair&, const slowdown::Contention&, Side);

// The constants on a grid that minimise the mean relative error of these rows' overlapped times, of kernels
// and, if measured, of collectives (for either side of the examples); overprediction of a time counts
// `harshness` times; ties go to the defaults.
[[nodiscard]] slowdown::Contention fitted_constants(const Examples&, Rows, double harshness);

}  // namespace echo::learn
