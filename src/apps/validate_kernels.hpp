// A table of measured kernels beside what the shipped constants say of each.
#pragma once

#include <string>

#include "apps/validated_table.hpp"
#include "base/csv.hpp"
#include "config/catalog_files.hpp"
#include "config/kernel_table_forms.hpp"

namespace echo::apps {

// Precondition: `kind` is the table's. Throws UserError where a cell is no number. What is compared is what
// was measured: seconds, or the efficiency where the table has that.
[[nodiscard]] ValidatedTable validate_kernels(const CsvTable& table, config::KernelTable kind,
                                              const std::string& file, const config::CatalogInputs& presets,
                                              bool wants_csv);

}  // namespace echo::apps
