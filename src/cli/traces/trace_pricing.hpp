// Durations for the ops of a trace that have none.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/trace.hpp"

namespace echo::cli {

struct PricedOps {
  std::int64_t priced = 0, left = 0;  // left: neither duration nor known shape
};

// Prices them on a cluster of the catalog, whose GPUs `gpu` may replace (empty: its own): kernels by their
// shape, communication by the placement of its ranks when they are packed onto nodes. Memory ops and waits
// are not changed. UserError 2 for an unknown name.
PricedOps price_untimed(trace::Trace&, const std::string& cluster, const std::string& gpu,
                        const std::vector<std::string>& preset_paths);

}  // namespace echo::cli
