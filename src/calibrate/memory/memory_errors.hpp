// Published figures of peak memory with the errors of their predictions.
#pragma once

#include <string>
#include <vector>

#include "base/csv.hpp"
#include "config/catalog/catalog_files.hpp"
#include "simulate/report/memory_scale.hpp"

namespace echo::calibrate {

struct MemoryError {
  std::string row, publication;
  double error = 0.0;             // ln(measured / predicted)
  simulate::MemoryContent holds;  // the part of the prediction that the figure counts, on the measured stage
};

// Every row of `table` with a figure and a config. As in validation, what a table leaves open is read so that
// the run fits, where it would not.
[[nodiscard]] std::vector<MemoryError> memory_errors(const CsvTable& table,
                                                     const config::CatalogInputs& presets);

}  // namespace echo::calibrate
