// The kernels that are measured: a built-in list, or a user's table.
#pragma once

#include <vector>

#include "base/csv.hpp"
#include "ops/kernel.hpp"

namespace echo::profilers {

// Products, attention, norms and memory-bound ops of transformer layers of three widths as one GPU runs them,
// a few products in other number formats, and the once-a-step ops. Each key once; all can be run.
[[nodiscard]] std::vector<ops::KernelKey> default_kernels();

// A table with a row a kernel: columns by the names of ops::KernelKey's members, `kind` and `m` needed, the
// rest at their defaults where they are not; the columns of measured tables (gpu, duration_us, note, ...) may
// stand beside them and are not read. Each kernel once, in canonical spelling. UserError with every bad row:
// unknown words, kernels that cannot be run here.
[[nodiscard]] std::vector<ops::KernelKey> read_kernels(const CsvTable&);

}  // namespace echo::profilers
