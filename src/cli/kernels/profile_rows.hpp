// Measured kernels as rows that --where and tables can name, beside what the model says of each.
#pragma once

#include <string>

#include "config/catalog/catalog_files.hpp"
#include "kernels/database/measurement.hpp"
#include "results/read_rows.hpp"

namespace echo::cli {

// The columns of a profile file that say what was measured (all but row and origin), then modelled (seconds,
// under the conditions of the measurement) and ratio (measured over modelled); both NaN where nothing can be
// modelled.
[[nodiscard]] results::Table profile_rows(const kernels::Profile&, const config::CatalogInputs&);

// "bf16 tn fp32_accumulate sglang": a kernel in words, kind and shape left out.
[[nodiscard]] std::string flags_text(const ops::KernelKey&);

// " serving sustained": what was timed and how, where it is not the kernel alone in a micro-benchmark.
[[nodiscard]] std::string conditions_text(kernels::RowScope, bool sustained);

// Rows that `where` keeps; `top` of them whose ratio is farthest from 1, or all in their order where it is 0.
[[nodiscard]] std::vector<std::int64_t> chosen_rows(const results::Table&, const std::string& where,
                                                    std::int64_t top);

[[nodiscard]] std::string rows_text(const kernels::Profile&, const results::Table&,
                                    const std::vector<std::int64_t>& chosen);
[[nodiscard]] std::string rows_json(const results::Table&, const std::vector<std::int64_t>& chosen);

}  // namespace echo::cli
