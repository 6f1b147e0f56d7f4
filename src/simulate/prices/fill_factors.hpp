// Slowdown factors between the kernels and collectives of a workload.
#pragma once

#include "simulate/calibration.hpp"
#include "simulate/prices/prices.hpp"
#include "simulate/prices/factor_memo.hpp"
#include "workload/workload.hpp"

namespace echo::simulate {

// Fills out.kernel_factor and out.collective_factor; out.kernels, out.collectives and their numbers stand.
// The white-box model answers for every pair, a learned one for those that can meet, which are the only ones
// that are read: a kernel and a collective of one block. Elsewhere its factors are 1.
void fill_factors(const Calibration&, const slowdown::Machine&, const workload::Workload&, FactorMemo&,
                  Prices& out);

}  // namespace echo::simulate
