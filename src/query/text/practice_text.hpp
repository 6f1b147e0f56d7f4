// What published training runs say of rows: choices that none of them exercised, and MFUs that none reached.
#pragma once

#include <cstdint>
#include <string>

#include "results/read_rows.hpp"

namespace echo::query {

// All of these are empty for files without the columns (before schema 1.9).
// "vpp 24, micro_batch 3, overlap_tp on": choices that no published run of the row's GPU kind had.
// `known`: bits of choices to leave out.
[[nodiscard]] std::string untried_text(const results::Table&, std::int64_t row, std::int64_t known = 0);
// One line for these rows together: "no published run of the GPU kind had: vpp (2 of 5 rows)\n".
[[nodiscard]] std::string untried_text(const results::Table&);
// One line where the row's MFU is above that of all published runs of its kind.
[[nodiscard]] std::string claim_text(const results::Table&, std::int64_t row);

}  // namespace echo::query
