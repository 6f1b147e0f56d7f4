// Compares a table of overlaps by profile (slowdown/profile_rows.hpp) with the slowdowns that a sweep would
// predict from what it would know of each row, and with the assumption of no slowdown.
#pragma once

#include <string>
#include <vector>

#include "config/catalog/catalog_files.hpp"
#include "slowdown/profile_rows.hpp"
#include "validation/validated_table.hpp"

namespace echo::validation {

// `choice` as --slowdown has it: auto and contention: the catalog's white box; off: none. UserError, 2: the
// file of a learned model, which is judged on overlaps that were imported (echo-sweep slowdown evaluate).
// CSV: row,status,reason,measured,predicted,ratio; status is predicted or skipped, row counts from 1.
[[nodiscard]] ValidatedTable validate_profile(const std::vector<slowdown::ProfileRow>&,
                                              const std::string& file, const std::string& choice,
                                              const config::CatalogInputs&, const ValidateOptions&);

}  // namespace echo::validation
