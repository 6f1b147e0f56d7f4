// The kernels to measure: a built-in list or a user's table.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/csv.hpp"
#include "ops/kernel.hpp"

namespace echo::profilers {

// Products, attention, norms and memory-bound ops of transformer layers of three widths as one GPU runs them,
// a few products in other number formats, and the once-a-step ops. Each key once; all can be run.
[[nodiscard]] std::vector<ops::KernelKey> default_kernels();

// A table with one row per kernel: columns by the names of ops::KernelKey's members, `kind` and `m` needed,
// the rest at their defaults where they are not; the columns of measured tables (gpu, duration_us, note,
// ...) may stand beside them and are not read. Each kernel once, in canonical spelling. UserError with every
// bad row: unknown words, kernels that cannot be run here.
[[nodiscard]] std::vector<ops::KernelKey> read_kernels(const CsvTable&);

// One row of such a table, in canonical spelling, whatever other columns it has and whether it can be run or
// not; nothing, and what is wrong with it, where it cannot be read.
[[nodiscard]] std::optional<ops::KernelKey> read_kernel(const CsvTable&, std::size_t row,
                                                        std::vector<Problem>&);

// Kernels, and how many others were left out for which reason.
struct ChosenKernels {
  std::vector<ops::KernelKey> kernels;
  std::map<std::string, std::int64_t> left_out;
};
// The same table of a list that was not made for this program (`echo-sweep profile gaps`): what cannot be run
// here, and rows of another GPU than `gpu` (empty = all are wanted), are left out. UserError with every row
// that cannot be read.
[[nodiscard]] ChosenKernels read_wanted_kernels(const CsvTable&, std::string_view gpu);

}  // namespace echo::profilers
