// Reads tables of measured kernels into a profile: the published forms (measured_kernels.hpp), and a general
// one for a user's own measurements.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/csv.hpp"
#include "base/problems.hpp"
#include "config/catalog/catalog_files.hpp"
#include "kernels/database/measurement.hpp"

namespace echo::config {

// Facts that a table lacks, and facts that override the table.
struct ImportChoices {
  std::string gpu;                            // in place of the table's own; empty = its own
  std::optional<ops::KernelLibrary> library;  // overrides the table
  std::string library_version, date;          // free text
  double clock_mhz = 0.0;                     // where the table has no clocks; 0 = not known
  bool sustained = false;                     // if the table has no such column
};

struct ImportedTable {
  kernels::Profile profile;
  std::int64_t rows = 0;                         // of the table
  std::map<std::string, std::int64_t> left_out;  // rows that cannot be used, by why
};

// The plain form: a header and one row per measurement. kind, m and duration_us are needed, and gpu where the
// choices name none; every other member of ops::KernelKey may be a column of its own name (words as `profile
// list` shows them; flags yes or no) and has its default where it is not. Further columns: spread (relative),
// clock_mhz, scope (kernel or serving, see RowScope), sustained,
// library_version, date; note is for the reader.
[[nodiscard]] bool is_plain_kernel_table(const CsvTable&);

// Adds every bad row to the problems; the result is then meaningless.
[[nodiscard]] ImportedTable read_kernel_table(const CsvTable&, const CatalogInputs&, const ImportChoices&,
                                              Problems&);

}  // namespace echo::config
