// The parallel layouts of rows in words.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "results/read_rows.hpp"

namespace echo::query {

// "tp4 pp2 dp12 vpp1 mbs2 1f1b ...".
[[nodiscard]] std::string layout_of(const results::Table&, std::int64_t row);

// The layout of each row, then the other axes of the sweep in which these rows differ ("cluster=dgx-b200"),
// but for those `shown` elsewhere.
[[nodiscard]] std::vector<std::string> layouts_of(const results::Table&,
                                                  std::initializer_list<std::string_view> shown = {});

}  // namespace echo::query
