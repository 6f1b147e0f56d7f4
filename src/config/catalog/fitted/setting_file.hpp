// Reads the constants of a setting, a file of the catalog: settings/production.toml.
#pragma once

#include <string>

#include "config/toml/toml_reader.hpp"
#include "simulate/report/production_model.hpp"

namespace echo::config {

struct SettingFile {
  std::string name;
  simulate::ProductionModel model;
};
// Every constant must be there, as { value = ..., error = ..., source = ..., grade = ... }.
[[nodiscard]] SettingFile read_setting(TableReader& file);

}  // namespace echo::config
