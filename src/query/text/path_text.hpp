// The sensitivities of a row's step time, as stored in its file.
#pragma once

#include <string>

#include "results/read_rows.hpp"

namespace echo::query {

// Sensitivities, largest first, and steps of unequal GPUs if present. Empty if the file has no sensitivities.
[[nodiscard]] std::string path_text(const results::Table&, std::int64_t row);

}  // namespace echo::query
