// Tables of measured kernels (the CSV forms of published profiles) as queries to the kernel
// models.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/csv.hpp"
#include "config/catalog/catalog_files.hpp"
#include "config/measured/kernel_table_forms.hpp"
#include "kernels/database/measured_row.hpp"
#include "ops/kernel.hpp"

namespace echo::config {

struct MeasuredKernel {
  std::int32_t gpu = -1;                   // of the catalog; -1: it has no such GPU
  std::string gpu_name, library, stratum;  // as in the table; group over which errors are summarised
  ops::KernelKey key;                      // of a library that the program does not know: `training`
  kernels::RowScope scope = kernels::RowScope::kernel;
  double tokens = 0.0;       // that pass through the kernel
  double seconds = 0.0;      // measured
  double efficiency = 0.0;   // as measured, if the table has it instead of a time; otherwise 0
  std::int32_t line = 0;     // of the file
  bool in_region = true;     // the shapes that training has, for which accuracy is claimed
  std::uint64_t family = 0;  // rows of one family are never split between fitting and held-out rows
  std::string skipped;       // why it is not scored; empty = scored
};

// One entry per row of the table, in its order; `gpu` stands in place of the table's own where it is not
// empty. Throws UserError with every cell that is no number, or none such a thing can have. Precondition:
// `kind` is the table's.
[[nodiscard]] std::vector<MeasuredKernel> read_measured_kernels(const CsvTable&, KernelTable kind,
                                                                const CatalogInputs&,
                                                                const std::string& gpu = "");

}  // namespace echo::config
