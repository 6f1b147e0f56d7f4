// The breakdown of a row's step time into the few shares that fit a table line, and the differences between
// two rows.
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
// traffic; oth: optimizer and the rest.
using Shares = std::array<double, share_names.size()>;
[[nodiscard]] Shares shares_of(const results::Table&, std::int64_t row);

// Exposed seconds of one part ("forward", ...) of the step.
[[nodiscard]] double exposed(const results::Table&, std::int64_t row, std::string_view part);

// The parts of the step in which `better` and `worse` differ, largest difference first, without those a tenth
// as large or less: "-0.21 s dp_comm, -0.08 s bubble, +0.05 s slowdown". Per 1 000 tokens if batches or GPU
// counts differ, so that the differences are comparable.
[[nodiscard]] std::string why_it_wins(const results::Table&, std::int64_t better, std::int64_t worse);

// The settings in which two rows differ: "tp 4 -> 8, recompute full -> selective", from `first` to `second`.
[[nodiscard]] std::string what_differs(const results::Table&, std::int64_t first, std::int64_t second);

}  // namespace echo::query
