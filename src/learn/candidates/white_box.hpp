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

// A pair of A100s over PCIe, as in Echo's table: a ring on 4 of 108 SMs (echo-sweep collective all_reduce
// --cluster generic-a100-pcie-80gb --gpus 2), three bytes of HBM for each of some 20 GB/s on the bus.
// Assumed.
inline constexpr AssumedCommunication pcie_pair{.sm_share = 0.037, .memory_share = 0.03};
// The rate kept by one side according to the model, > 0.
[[nodiscard]] double kept_beside(const Pair&, const slowdown::Contention&, Side);

// The constants on a grid that minimise the mean relative error of these rows' overlapped times, of kernels
// and, if measured, of collectives (for either side of the examples); overprediction of a time counts
// `harshness` times; ties go to the defaults.
[[nodiscard]] slowdown::Contention fitted_constants(const Examples&, Rows, double harshness);

}  // namespace echo::learn
