// Slowdown factors between the kernels and collectives of a workload.
#pragma once

#include "simulate/calibration.hpp"
#include "simulate/prices/factor_memo.hpp"
#include "simulate/prices/prices.hpp"
#include "workload/workload.hpp"

namespace echo::simulate {

// Fills out.kernel_factor and out.collective_factor; out.kernels, out.collectives and their numbers stand.
// The model answers for pairs that can meet, which are the only ones that are read: a kernel and a collective
// of one block. Elsewhere factors are 1 and losses 0. Returns how many collectives there are up to the last
// that some block has.
std::size_t fill_factors(const Calibration&, const slowdown::Machine&, const workload::Workload&, FactorMemo&,
                         Prices& out);

}  // namespace echo::simulate
