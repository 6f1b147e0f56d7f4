// Where the step time of one row goes, in the few shares a table line has room for, and what sets two rows
// apart.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "results/read_rows.hpp"

namespace echo::query {

inline constexpr std::array<std::string_view, 9> share_names{"comp", "tp",  "cp",   "ep", "pp",
                                                             "dp",   "bub", "slow", "oth"};

// Fractions of the step; they sum to 1. comp: forward, backward and recomputation; dp: gradient and parameter
// traffic; oth: optimizer and what is left.
using Shares = std::array<double, share_names.size()>;
[[nodiscard]] Shares shares_of(const results::Table&, std::int64_t row);

// Exposed seconds of one part ("forward", ...) of the step.
[[nodiscard]] double exposed(const results::Table&, std::int64_t row, std::string_view part);

// By which parts of the step `better` is ahead of `worse`, largest difference first, those a tenth as large
// or less left out: "-0.21 s dp_comm, -0.08 s bubble, +0.05 s slowdown". Per 1 000 tokens where the two train
// different batches or GPU counts, so that the differences are comparable.
[[nodiscard]] std::string why_it_wins(const results::Table&, std::int64_t better, std::int64_t worse);

// The settings in which two rows differ: "tp 4 -> 8, recompute full -> selective", from `first` to `second`.
[[nodiscard]] std::string what_differs(const results::Table&, std::int64_t first, std::int64_t second);

}  // namespace echo::query
