// The row a user names, and the config it came from with the presets to simulate it again.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/catalog/catalog_files.hpp"
#include "results/read_rows.hpp"
#include "training/config.hpp"

namespace echo::explain {

// A short decimal number is a row number; everything else is the beginning of an id. UserError where no row,
// or more than one, is meant.
[[nodiscard]] std::int64_t find_row(const results::ResultRows&, const std::string& id);

struct ConfigAgain {
  config::CatalogInputs known;                           // slowdown is off where the row's sweep left it out
  std::unique_ptr<const std::string> measured, learned;  // what its kernels and its slowdown model look at
  std::optional<training::TrainingConfig> config;
  std::string problem;  // why there is none, or in what it is not what it was
};

// Of the one row of `table`.
[[nodiscard]] ConfigAgain config_again(const results::ResultFile&, const results::Table&,
                                       const std::vector<std::string>& preset_paths);

}  // namespace echo::explain
