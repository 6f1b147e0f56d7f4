// What the step of a row hangs on, as its file says it.
#pragma once

#include <string>

#include "results/read_rows.hpp"

namespace echo::query {

// "what would shorten the step": sensitivities, largest first, and steps of unequal GPUs where there are any.
// Empty where the file has none.
[[nodiscard]] std::string path_text(const results::Table&, std::int64_t row);

}  // namespace echo::query
