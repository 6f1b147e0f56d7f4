// Measured kernels as a table for --where and printing, with the model's price of each.
#pragma once

#include <string>

#include "config/catalog/catalog_files.hpp"
#include "kernels/database/measurement.hpp"
#include "results/read_rows.hpp"

namespace echo::cli {

// The columns of a profile file (except row and origin), then modelled (seconds, under the conditions of the
// measurement) and ratio (measured over modelled); both NaN if the kernel cannot be modelled.
[[nodiscard]] results::Table profile_rows(const kernels::Profile&, const config::CatalogInputs&);

// "bf16 tn fp32_accumulate sglang": a kernel as text, without kind and shape.
[[nodiscard]] std::string flags_text(const ops::KernelKey&);

// " serving sustained": conditions of the timing, if it is not the kernel alone in a micro-benchmark.
[[nodiscard]] std::string conditions_text(kernels::RowScope, bool sustained);

// Rows that satisfy `where`: the `top` ones with ratios farthest from 1, or for 0 all rows in their order.
[[nodiscard]] std::vector<std::int64_t> chosen_rows(const results::Table&, const std::string& where,
                                                    std::int64_t top);

[[nodiscard]] std::string rows_text(const kernels::Profile&, const results::Table&,
                                    const std::vector<std::int64_t>& chosen);
[[nodiscard]] std::string rows_json(const results::Table&, const std::vector<std::int64_t>& chosen);

}  // namespace echo::cli
