// What the whole training of a row takes, in words: time, GPU-hours, cost and energy, with the ranges that
// the error of the step gives.
#pragma once

#include <cstdint>
#include <string>

#include "results/read_rows.hpp"

namespace echo::query {

// One line and, for what is unknown, one that says why. Empty where the file gives no tokens of a training.
[[nodiscard]] std::string training_text(const results::Table& table, std::int64_t row);

}  // namespace echo::query
