// One field of a CSV line.
#pragma once

#include <string>
#include <string_view>

namespace echo::text {

// `value`, quoted if it contains a comma, a quote or a line break (RFC 4180).
[[nodiscard]] std::string csv_cell(std::string_view value);

}  // namespace echo::text
