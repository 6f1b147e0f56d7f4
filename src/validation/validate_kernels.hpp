// Compares a table of measured kernels with predictions by the shipped constants.
#pragma once

#include <string>
#include <vector>

#include "config/catalog/catalog_files.hpp"
#include "config/measured/measured_kernels.hpp"
#include "validation/validated_table.hpp"

namespace echo::validation {

// `kind`: that of the table of the rows. The measured quantity is compared: seconds, or efficiency if the
// table has it. Collective.
[[nodiscard]] ValidatedTable validate_kernels(const std::vector<config::MeasuredKernel>&,
                                              config::KernelTable kind, const std::string& file,
                                              const config::CatalogInputs& presets, const ValidateOptions&);

}  // namespace echo::validation
