// Reconstructs the config of a row of a result file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "results/read_rows.hpp"
#include "simulate/catalog.hpp"
#include "training/config.hpp"

namespace echo::explain {

// `layer_tables`: those of the row's file, as text ("8 10 10 8"). The row's own layer split and NCCL version
// are added to `catalog`. Returns nothing, with the reason in `problem`, if the catalog lacks a preset of the
// row, or if the hash of the config differs from the row's id.
[[nodiscard]] std::optional<training::TrainingConfig> config_of_row(
    const results::Table&, std::int64_t row, const std::vector<std::string>& layer_tables,
    simulate::Catalog& catalog, std::string& problem);

}  // namespace echo::explain
