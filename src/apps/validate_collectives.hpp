// A table of measured collectives beside what the shipped network constants say of each.
#pragma once

#include <string>

#include "apps/validated_table.hpp"
#include "base/csv.hpp"
#include "config/catalog_files.hpp"

namespace echo::apps {

// Precondition: config::is_collective_table. Throws UserError where a cell is no number.
[[nodiscard]] ValidatedTable validate_collectives(const CsvTable& table, const std::string& file,
                                                  const config::CatalogInputs& presets, bool wants_csv);

}  // namespace echo::apps
