// Values of columns as words and numbers for people.
#pragma once

#include <string>

#include "results/read_rows.hpp"

namespace echo::query {

// The value of an input or outcome: the word of a code, "2.21.5" of a version of NCCL, "core_attn+mlp" of
// joined words, else the number.
[[nodiscard]] std::string value_text(const results::ColumnInfo&, double value);
[[nodiscard]] std::string value_text(const results::Table&, const results::ColumnInfo&, std::int64_t row);

// The value of a metric with its unit: "6.78 s", "12.4 d", "61.2 GiB", "40.3 %"; "-" where it is missing.
[[nodiscard]] std::string metric_text(const results::ColumnInfo&, double value);

}  // namespace echo::query
