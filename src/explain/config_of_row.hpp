// A row of a result file turned back into the config it came from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "results/read_rows.hpp"
#include "simulate/catalog.hpp"
#include "training/config.hpp"

namespace echo::explain {

// `layer_tables`: of the row's file, as text ("8 10 10 8"). The row's own layer split and NCCL version are
// added to `catalog`. Nothing, and why in `problem`, where the catalog lacks a preset the row names, or where
// the config does not hash to the row's id.
[[nodiscard]] std::optional<training::TrainingConfig> config_of_row(
    const results::Table&, std::int64_t row, const std::vector<std::string>& layer_tables,
    simulate::Catalog& catalog, std::string& problem);

}  // namespace echo::explain
