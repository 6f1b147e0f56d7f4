// Times of every op of a trace alone on the config's machine.
#pragma once

#include "simulate/calibration.hpp"
#include "simulate/catalog.hpp"
#include "simulate/replay/replay_scratch.hpp"
#include "training/config.hpp"

namespace echo::simulate {

// Fills the point's part of `s` and `out`: kernels of the trace and one more that stands for those whose
// shape is not known, then the asks of s.asks. queries: as asked, [asks].
void price_trace(const training::TrainingConfig&, const Catalog&, const Calibration&, ReplayScratch& s,
                 PriceMemo& memo, Prices& out, std::vector<ops::CollectiveQuery>& queries);

}  // namespace echo::simulate
