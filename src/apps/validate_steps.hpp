// A table of measured training steps beside what the simulator says of each.
#pragma once

#include <string>

#include "apps/validated_table.hpp"
#include "base/csv.hpp"
#include "config/catalog_files.hpp"

namespace echo::apps {

// Precondition: config::is_step_table(table). Throws UserError where a cell is no number.
[[nodiscard]] ValidatedTable validate_steps(const CsvTable& table, const std::string& file,
                                            const config::CatalogInputs& presets, bool wants_csv);

}  // namespace echo::apps
