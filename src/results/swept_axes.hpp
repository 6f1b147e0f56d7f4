// Which inputs a sweep turns, by the resolved text that every result file holds.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace echo::results {

// Keys of [space] and its groups in the order of the text; of inputs that are paired, which say the same, the
// first. The program writes the text itself, one `key = value` a line below the name of its section, so that
// it is read without a TOML reader.
[[nodiscard]] std::vector<std::string> swept_axes(std::string_view resolved_toml);

}  // namespace echo::results
