// Our own trace format, JSON Lines, as src/interchange/README.md says it.
#pragma once

#include <string>

#include "interchange/format.hpp"

namespace echo::interchange {

[[nodiscard]] trace::Trace read_echo_lines(const Source&);
// A path that ends in .gz is compressed.
void write_echo_lines(const trace::Trace&, const std::string& path);

}  // namespace echo::interchange
