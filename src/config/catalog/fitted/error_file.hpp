// Reads and writes the error model as a file of the catalog (errors/steps.toml).
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "config/toml/toml_reader.hpp"
#include "simulate/report/error_model.hpp"

namespace echo::config {

struct ErrorField {
  const char* name;
  double low, high;
  double& (*of)(simulate::ErrorModel&);
};
[[nodiscard]] std::span<const ErrorField> error_fields();

struct ErrorFile {
  std::string name;
  simulate::ErrorModel model;
};
// A constant that the file leaves out keeps its default.
[[nodiscard]] ErrorFile read_errors(TableReader& file);

struct ErrorFileText {
  std::string source, date;
  simulate::ErrorModel model;
  struct About {
    std::string source, grade;  // measured or assumed
  };
  std::vector<About> about;  // of each field
  std::vector<std::pair<std::string, double>> figures;
};
[[nodiscard]] std::string error_file_text(const ErrorFileText&);

}  // namespace echo::config
