// A row of a result file turned back into the config it came from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "results/read_rows.hpp"
#include "simulate/catalog.hpp"
#include "training/config.hpp"

namespace echo::apps {

// Nothing, and why in `problem`, where the catalog lacks a preset the row names, where the row used layer
// tables or NCCL settings of its sweep, or where the config does not hash to the row's id.
[[nodiscard]] std::optional<training::TrainingConfig> config_of_row(const results::Table&, std::int64_t row,
                                                                    const simulate::Catalog&,
                                                                    std::string& problem);

}  // namespace echo::apps
