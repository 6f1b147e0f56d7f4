// Reads and writes what published runs have exercised as a file of the catalog (practice/steps.toml).
#pragma once

#include <string>

#include "config/toml/toml_reader.hpp"
#include "simulate/report/practice.hpp"

namespace echo::config {

struct PracticeFile {
  std::string name;
  simulate::Practice practice;
};
[[nodiscard]] PracticeFile read_practice(TableReader& file);

[[nodiscard]] std::string practice_file_text(const simulate::Practice&, const std::string& source,
                                             const std::string& date);

}  // namespace echo::config
