// A table of measured kernels beside what the shipped constants say of each.
#pragma once

#include <string>
#include <vector>

#include "config/catalog/catalog_files.hpp"
#include "config/measured/measured_kernels.hpp"
#include "validation/validated_table.hpp"

namespace echo::validation {

// `kind` is that of the table the rows are of. What is compared is what was measured: seconds, or the
// efficiency where the table has that. Collective.
[[nodiscard]] ValidatedTable validate_kernels(const std::vector<config::MeasuredKernel>&,
                                              config::KernelTable kind, const std::string& file,
                                              const config::CatalogInputs& presets, const ValidateOptions&);

}  // namespace echo::validation
