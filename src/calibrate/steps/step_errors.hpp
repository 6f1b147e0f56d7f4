// Published training steps with the errors of their predictions and the contributions of error sources.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/csv.hpp"
#include "base/error_source.hpp"
#include "config/catalog/catalog_files.hpp"
#include "simulate/report.hpp"
#include "simulate/report/evidence.hpp"

namespace echo::calibrate {

struct StepError {
  std::string row, publication;
  std::array<std::int32_t, error_source_count> owner{};  // numbered within a source; -1: its own
  double error = 0.0;                                    // ln(predicted / measured)
  simulate::Evidence evidence;  // its untried choices are those that no other publication exercised
  simulate::StepReport report;
};

// Every scored row of `table`. `predicted` is a table of row and predicted (s), as models that had not seen
// the row say; rows that it lacks are left out.
[[nodiscard]] std::vector<StepError> step_errors(const CsvTable& table, const config::CatalogInputs& presets,
                                                 const CsvTable& predicted);

}  // namespace echo::calibrate
