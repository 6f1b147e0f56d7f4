// The network constants of a user's cluster, fitted to the user's runs of nccl-tests.
#pragma once

#include <string>
#include <vector>

#include "config/catalog/catalog_files.hpp"
#include "config/measured/nccl_log.hpp"

namespace echo::cli {

struct NcclCalibration {
  std::string file_text;  // the preset
  std::string report;     // errors before and after, and how to use it
};

struct NcclCalibrationRequest {
  std::vector<std::string> logs;  // outputs of nccl-tests, or tables of measured collectives
  config::NcclLogHints hints;
  std::string name, date;
};

// Throws UserError (file:line) if a log is not one of nccl-tests, or if nothing is left to fit.
[[nodiscard]] NcclCalibration calibrate_nccl(const NcclCalibrationRequest&, const config::CatalogInputs&);

}  // namespace echo::cli
