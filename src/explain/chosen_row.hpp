// Finds the row that a user names, and reconstructs its config and presets to simulate it again.
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

// A short decimal number is a row number; anything else is the beginning of an id. UserError if no row, or
// more than one, matches.
[[nodiscard]] std::int64_t find_row(const results::ResultRows&, const std::string& id);

struct ConfigAgain {
  config::CatalogInputs known;  // slowdown is off if it was off in the row's sweep
  std::unique_ptr<const std::string> measured,
      learned;  // data of its measured kernels and its slowdown model
  std::optional<training::TrainingConfig> config;
  std::string packet_cache;  // [simulate] packet_cache of its sweep
  std::string problem;       // why the config is absent, or how it differs from the original
};

// For the only row of `table`.
[[nodiscard]] ConfigAgain config_again(const results::ResultFile&, const results::Table&,
                                       const std::vector<std::string>& preset_paths);

}  // namespace echo::explain
