// The kernels measured by default: shapes in octaves.
#pragma once

#include <vector>

#include "ops/kernel.hpp"

namespace echo::profilers {

// Products in all layouts of training and every format that is run, attention, norms and memory-bound ops, at
// powers of two that enclose a layer's. A sweep's database looks 1.5 octaves around a shape, so each shape
// within the grid has measured neighbours. Each key once, canonical; all can be run.
[[nodiscard]] std::vector<ops::KernelKey> octave_grid();

}  // namespace echo::profilers
